"""The running text of an HTML page: without headings, tables, captions, navigation, code and references."""

import hashlib
import re
import warnings
from typing import TYPE_CHECKING, Final

from python_assets.texts.decoding import Decoded, decode
from python_assets.texts.documents import OMISSION
from python_assets.texts.headings import Sections

if TYPE_CHECKING:  # BeautifulSoup is slow to import, and most runs and plans read no page
    from bs4 import BeautifulSoup, Tag

_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_LEFT_OUT: Final = frozenset(
    {"head", "script", "style", "noscript", "template", "nav", "header", "footer", "aside"}
    | {"table", "figure", "figcaption", "caption", "form", "button", "select", "textarea"}
    | {"svg", "iframe", "object", "audio", "video", "pre"}
)
_HOLES: Final = frozenset({"code", "kbd", "samp", "math"})
_BLOCKS: Final = frozenset(
    {"address", "article", "blockquote", "body", "center", "dd", "details", "div", "dl", "dt", "fieldset"}
    | {"hr", "html", "li", "main", "ol", "p", "section", "summary", "ul"}
)
_RAISED: Final = {
    "sup": str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻"),
    "sub": str.maketrans("0123456789+-−", "₀₁₂₃₄₅₆₇₈₉₊₋₋"),
}
_NOTE_CLASSES: Final = frozenset({"reference", "footnote", "footnote-ref", "footnotes", "references"})


def decode_html(data: bytes) -> Decoded:
    """Decode a page as UTF-8, or as it says itself that it is written where it is not UTF-8.

    Args:
        data: the bytes of a page.
    """
    from bs4.dammit import EncodingDetector

    decoded = decode(data)
    declared = EncodingDetector.find_declared_encoding(data, is_html=True)
    if not decoded.undecodable or declared is None:
        return decoded
    try:
        return Decoded(data.decode(declared), [], hashlib.sha256(data).hexdigest())
    except (LookupError, UnicodeError):
        return decoded


def html_paragraphs(text: str) -> list[str]:
    """Paragraphs of a page, list items and quotations among them.

    Args:
        text: HTML, sound or not.

    Returns:
        The text of each paragraph in order; OMISSION where code or a formula stood within a paragraph.
    """
    return paragraphs_of(parse_html(text))


def parse_html(text: str) -> "BeautifulSoup":
    """A page as a tree.

    Args:
        text: HTML, sound or not.
    """
    from bs4 import BeautifulSoup, XMLParsedAsHTMLWarning

    with warnings.catch_warnings():
        # XHTML says that it is XML, and reads well as HTML
        warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)
        return BeautifulSoup(text, "lxml")


def paragraphs_of(page: "Tag") -> list[str]:
    """Paragraphs of a page that was parsed, as html_paragraphs gives them."""
    pieces: list[str] = []
    _collect(page, pieces, Sections())
    paragraphs = re.split(r"\n\s*\n", "".join(pieces))
    return [stripped for paragraph in paragraphs if (stripped := " ".join(paragraph.split()))]


def _collect(node: "Tag", pieces: list[str], sections: Sections) -> None:
    """Append the text below a node, blank lines around blocks; without recursion, however deep it goes."""
    from bs4 import Tag
    from bs4.element import PreformattedString

    opened = [(iter(node.children), "")]
    while opened:
        children, after = opened[-1]
        child = next(children, None)
        if child is None:
            pieces.append(after)
            opened.pop()
        elif isinstance(child, Tag):
            around = _collect_element(child, pieces, sections)
            if around is not None:
                pieces.append(around)
                opened.append((iter(child.children), around))
        elif not sections.is_left_out and not isinstance(child, PreformattedString):
            # comments, declarations and the like are strings of their own kinds
            pieces.append(" ".join(re.split(r"\s+", str(child))))


def _collect_element(element: "Tag", pieces: list[str], sections: Sections) -> str | None:
    """Append what stands for an element; what goes around its content, None where that is not read."""
    if element.name in _HEADINGS:
        sections.open(int(element.name[1]), element.get_text(" "))
        pieces.append("\n\n")
    elif element.name in _LEFT_OUT or _is_hidden(element) or _is_note(element):
        pieces.append("\n\n" if element.name in _BLOCKS | {"table", "figure", "pre"} else "")
    elif element.name in _HOLES:
        pieces.append("" if sections.is_left_out else OMISSION)
    elif element.name in _RAISED:
        # 10⁶ without its sign of raising would read 106
        written = element.get_text().translate(_RAISED[element.name])
        pieces.append("" if sections.is_left_out else written)
    elif element.name == "br":
        pieces.append("\n")
    else:
        return "\n\n" if element.name in _BLOCKS else ""
    return None


def _is_hidden(element: "Tag") -> bool:
    style = str(element.get("style", "")).replace(" ", "")
    return element.has_attr("hidden") or element.get("aria-hidden") == "true" or "display:none" in style


def _is_note(element: "Tag") -> bool:
    """A mark that leads to a note, or a list of notes."""
    classes = element.get_attribute_list("class")
    if _NOTE_CLASSES.intersection(str(name) for name in classes):
        return True
    return element.name == "sup" and element.find("a", href=re.compile("^#")) is not None

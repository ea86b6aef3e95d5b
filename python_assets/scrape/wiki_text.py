"""What a wiki puts around its articles is taken out of their HTML: notes, boxes, marks, pictures.

Belongs here: what is peculiar to MediaWiki. Running text as such is html.py.
"""

import re
from typing import TYPE_CHECKING, Final

from python_assets.texts.documents import OMISSION
from python_assets.texts.html import paragraphs_of, parse_html

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

# class names are English on most wikis; those of other languages are of German, French, Spanish, Italian and
# Portuguese Wikipedia
_LEFT_OUT_CLASSES: Final = frozenset(
    {
        "hatnote",
        "rellink",
        "dablink",
        "mw-editsection",
        "noprint",
        "noexcerpt",
        "metadata",
        "ambox",
        "mbox-small",
        "navbox",
        "navbox-styles",
        "infobox",
        "sidebar",
        "sistersitebox",
        "side-box",
        "portalbox",
        "thumb",
        "gallery",
        "gallerybox",
        "toc",
        "catlinks",
        "reflist",
        "references",
        "mw-references-wrap",
        "reference",
        "mw-ref",
        "mw-cite-backlink",
        "authority-control",
        "error",
        "mw-kartographer-container",
        "hauptartikel",
        "bandeau-container",
        "homonymie",
        "infobox_v2",
        "infobox_v3",
        "vedi-anche",
        "nota-disambigua",
        "avviso",
        "artigo-principal",
        "ext-phonos-attribution",
        "ext-phonos",
        "IPA",
        "API",
        "ipa",
        "mw-broken-media",
        "geo-inline-hidden",
    }
)
_LEFT_OUT_ROLES: Final = frozenset({"note", "navigation"})
_FORMULA_CLASSES: Final = frozenset({"mwe-math-element", "mw-highlight", "chemf"})
# what is left where nothing but a pronunciation stood: (), (Italian: )
_EMPTY_PARENTHESES: Final = re.compile(r"\s*\((?:[\w .]+[:：])?\s*[,;]?\s*\)")
# the name of an image that is not there, where an older wiki writes it as a link to upload it
_TO_UPLOAD: Final = re.compile(r"wpDestFile=|Special:Upload")
_NOTE_MARK: Final = re.compile(r"\s*(\[[^\]]*\]\s*)+")


def wiki_paragraphs(html: str) -> list[str]:
    """The running text of an article.

    Args:
        html: as action=parse renders it.

    Returns:
        Its paragraphs, list items and quotations in order, without headings, captions, tables, boxes, marks
        of notes and reference lists; OMISSION where a formula or code stood within one.
    """
    left = (_EMPTY_PARENTHESES.sub("", text) for text in paragraphs_of(article(html)))
    return [text for text in left if text]


def listed_meanings(html: str) -> list[str]:
    """What a page that only tells meanings of its title apart lists; nothing of any other page.

    Args:
        html: as action=parse renders it.

    Returns:
        The texts of the links that its items begin with. Such a page has one line ahead of its list, which
        ends in a colon ("Georgia may refer to:"), and no other sentence, whether or not the wiki marks it.
    """
    page = article(html)
    items = [item for item in page.find_all("li") if item.find_parent("li") is None]
    links = [link for item in items if (link := item.find("a", href=True)) is not None]
    meanings = [" ".join(link.get_text(" ").split()) for link in links]
    for element in page.find_all(["ul", "ol"]):
        element.extract()
    outside = paragraphs_of(page)
    is_list = len(outside) == 1 and outside[0].endswith((":", "："))
    return meanings if is_list and len(meanings) > 1 else []


def article(html: str) -> "BeautifulSoup":
    """An article as a tree without what the wiki put around it.

    Args:
        html: as action=parse renders it.
    """
    page = parse_html(html)
    for element in page.find_all(_is_left_out):
        if not element.decomposed:
            element.decompose()
    for formula in page.find_all(lambda tag: not _FORMULA_CLASSES.isdisjoint(_classes(tag))):
        formula.replace_with(OMISSION)
    for raised in page.find_all(["sup", "sub"]):
        if _NOTE_MARK.fullmatch(raised.get_text()):
            raised.decompose()
    return page


def _is_left_out(tag: "Tag") -> bool:
    return (
        not _LEFT_OUT_CLASSES.isdisjoint(_classes(tag))
        or tag.get("role") in _LEFT_OUT_ROLES
        or str(tag.get("typeof", "")).startswith("mw:Error")
        or str(tag.get("lang", "")).endswith("-fonipa")
        or (tag.name == "a" and _TO_UPLOAD.search(str(tag.get("href", ""))) is not None)
    )


def _classes(tag: "Tag") -> list[str]:
    return [str(name) for name in tag.get_attribute_list("class")]

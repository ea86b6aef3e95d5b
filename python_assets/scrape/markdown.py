"""The running text of a Markdown file: without headings, tables, code, pictures and link targets."""

from markdown_it import MarkdownIt
from markdown_it.token import Token

from python_assets.scrape.sources import HOLE

_LEFT_OUT = ("heading", "table")
_SPACES = ("softbreak", "hardbreak", "html_inline", "image")


def markdown_paragraphs(text: str) -> list[str]:
    """Paragraphs of Markdown text, list items and quotations among them.

    Args:
        text: CommonMark, tables included.

    Returns:
        The text of each paragraph in order; HOLE where code or a bare address stood within a paragraph.
    """
    paragraphs = []
    left_out = 0
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type.removesuffix("_open").removesuffix("_close") in _LEFT_OUT:
            left_out += token.nesting
        elif token.type == "inline" and not left_out:
            paragraphs.append(_running_text(token.children or []))
    return paragraphs


def _running_text(children: list[Token]) -> str:
    pieces = []
    in_address = False
    for child in children:
        if child.type in ("link_open", "link_close") and child.info == "auto":
            in_address = child.nesting > 0
        elif in_address or child.type == "code_inline":
            pieces.append(HOLE)
        elif child.type in _SPACES:
            pieces.append(" ")
        elif child.type == "text":
            pieces.append(child.content)
    return "".join(pieces)

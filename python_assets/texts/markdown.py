"""The running text of a Markdown file: without headings, tables, code, pictures, link targets, references."""

from markdown_it import MarkdownIt
from markdown_it.token import Token

from python_assets.texts.documents import OMISSION
from python_assets.texts.headings import Sections

_SPACES = ("softbreak", "hardbreak", "html_inline", "image")


def markdown_paragraphs(text: str) -> list[str]:
    """Paragraphs of Markdown text, list items and quotations among them.

    Args:
        text: CommonMark, tables included.

    Returns:
        The text of each paragraph in order; OMISSION where code or a bare address stood within a paragraph.
    """
    paragraphs = []
    sections = Sections()
    heading = n_tables = 0
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type == "heading_open":
            heading = int(token.tag[1])
        elif token.type in ("table_open", "table_close"):
            n_tables += token.nesting
        elif token.type == "inline" and heading:
            sections.open(heading, _running_text(token.children or []))
            heading = 0
        elif token.type == "inline" and not n_tables and not sections.is_left_out:
            paragraphs.append(_running_text(token.children or []))
    return paragraphs


def _running_text(children: list[Token]) -> str:
    pieces = []
    in_address = False
    for child in children:
        if child.type in ("link_open", "link_close") and child.info == "auto":
            in_address = child.nesting > 0
        elif in_address or child.type == "code_inline":
            pieces.append(OMISSION)
        elif child.type in _SPACES:
            pieces.append(" ")
        elif child.type == "text":
            pieces.append(child.content)
    return "".join(pieces)

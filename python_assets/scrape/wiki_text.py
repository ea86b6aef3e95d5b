"""What a wiki puts around its articles is taken out of their HTML: notes, boxes, marks, pictures.

Belongs here: what is peculiar to MediaWiki. Running text as such is html.py.
"""

import re
from typing import Final

from bs4 import BeautifulSoup, Tag

from python_assets.texts.documents import OMISSION
from python_assets.texts.html import paragraphs_of, parse_html

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
        "geo-inline-hidden",
    }
)
_LEFT_OUT_ROLES: Final = frozenset({"note", "navigation"})
_FORMULA_CLASSES: Final = frozenset({"mwe-math-element", "mw-highlight", "chemf"})
_NOTE_MARK: Final = re.compile(r"\s*(\[[^\]]*\]\s*)+")


def wiki_paragraphs(html: str) -> list[str]:
    """The running text of an article.

    Args:
        html: as action=parse renders it.

    Returns:
        Its paragraphs, list items and quotations in order, without headings, captions, tables, boxes, marks
        of notes and reference lists; OMISSION where a formula or code stood within one.
    """
    return paragraphs_of(article(html))


def article(html: str) -> BeautifulSoup:
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


def _is_left_out(tag: Tag) -> bool:
    return not _LEFT_OUT_CLASSES.isdisjoint(_classes(tag)) or tag.get("role") in _LEFT_OUT_ROLES


def _classes(tag: Tag) -> list[str]:
    return [str(name) for name in tag.get_attribute_list("class")]

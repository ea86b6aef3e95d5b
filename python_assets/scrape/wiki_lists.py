"""The lists and tables of a wiki page, or of one section of it: the links that lead their items and rows.

Belongs here: what a finder names of a page, its section, layout and column. Which of the links are keywords is
finders_on_wiki.py.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from python_assets.texts.headings import Sections

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

Layout = Literal["bullet", "table", "nested"]

_OTHER_NAMESPACE: Final = re.compile(r"[^\s:]+:\S")
_HEADINGS: Final = ["h1", "h2", "h3", "h4", "h5", "h6"]
_CELLS: Final = ["td", "th"]
_FIGURES: Final = re.compile(r"\s*\d{1,9}")
# of a table; cells further to the right are not read, however many columns a page says that they span
_MOST_COLUMNS: Final = 200


def headings(tree: "BeautifulSoup") -> list[str]:
    """The headings of a page, each once, in order."""
    return list(dict.fromkeys(filter(None, map(_text, tree.find_all(_HEADINGS)))))


def is_among(name: str, texts: Iterable[str]) -> bool:
    """Whether a name is one of the texts of headings or headers, blanks and case aside."""
    return _plain(name) in map(_plain, texts)


def keep_section(tree: "BeautifulSoup", section: str) -> None:
    """Leave in a page only what stands under the headings of one text.

    Args:
        tree: the page; texts outside are taken out of it, and so are those headings themselves, so that a list of
            references that is asked for is read like any other.
        section: the text of a heading, in whatever case; what stands under lower headings below it belongs to it.
    """
    from bs4 import NavigableString, Tag

    name, below = _plain(section), None
    outside: list[NavigableString] = []
    for node in tree.descendants:
        if isinstance(node, Tag) and node.name in _HEADINGS:
            level = int(node.name[1])
            below = below if below is not None and level > below else None
            if below is None and _plain(_text(node)) == name:
                below = level
                outside += node.find_all(string=True)
        elif isinstance(node, NavigableString) and below is None:
            outside.append(node)
    for text in outside:
        text.extract()


def link_texts(tree: "BeautifulSoup", layout: Layout, column: str | None = None) -> list[str]:
    """The texts of the links that lead the items of a page's lists or the rows of its tables, each once.

    Args:
        tree: an article without what the wiki put around it.
        layout: bullet, the first link of every outermost list item; nested, that of every innermost item of
            lists within lists; table, that of every row of a table.
        column: of tables, the text of a header, in whatever case: the first link under it in each row, in
            the place of that of the row. A cell that spans rows or columns stands in each.

    Returns:
        In the order of the page; lists of references and of further links are passed over, as are links to
        files, categories and other sites, and texts without a letter.
    """
    holders = _HOLDERS[layout](tree) if column is None else _cells_of(tree, _plain(column))
    texts = (_first_link(holder) for holder in holders)
    return list(dict.fromkeys(text for text in texts if text))


def column_headers(tree: "BeautifulSoup") -> list[str]:
    """The headers of the columns of a page's tables, each once, in order."""
    cells = (cell for rows in _tables(tree) for row in rows if row.is_header for cell in row.cells.values())
    return list(dict.fromkeys(filter(None, map(_text, cells))))


class _Row(NamedTuple):
    """A row of a table: the cell at each column, and whether they are headers of columns."""

    cells: "dict[int, Tag]"
    is_header: bool


def _items(tree: "BeautifulSoup") -> Iterator["Tag"]:
    """List items outside tables and outside lists of references."""
    sections = Sections()
    for element in tree.find_all([*_HEADINGS, "li"]):
        if element.name in _HEADINGS:
            sections.open(int(element.name[1]), element.get_text(" "))
        elif not sections.is_left_out and element.find_parent("table") is None:
            yield element


def _outermost_items(tree: "BeautifulSoup") -> Iterator["Tag"]:
    return (item for item in _items(tree) if item.find_parent("li") is None)


def _innermost_items(tree: "BeautifulSoup") -> Iterator["Tag"]:
    nested = (item for item in _items(tree) if item.find_parent("li") is not None)
    return (item for item in nested if item.find("li") is None)


def _rows(tree: "BeautifulSoup") -> Iterator["Tag"]:
    return (row for row in tree.find_all("tr") if row.find("table") is None and row.find("td") is not None)


_HOLDERS: Final[dict[Layout, Callable[["BeautifulSoup"], Iterator["Tag"]]]] = {
    "bullet": _outermost_items,
    "nested": _innermost_items,
    "table": _rows,
}


def _cells_of(tree: "BeautifulSoup", header: str) -> Iterator["Tag"]:
    """The cells that stand under a header in the tables that have it."""
    for rows in _tables(tree):
        columns: set[int] = set()
        for row in rows:
            if row.is_header:
                columns |= {at for at, cell in row.cells.items() if _plain(_text(cell)) == header}
            else:
                yield from (cell for at, cell in row.cells.items() if at in columns)


def _tables(tree: "BeautifulSoup") -> Iterator[list[_Row]]:
    """The rows of each table, less those that hold a further table: they lay out a page."""
    for table in tree.find_all("table"):
        rows: list[_Row] = []
        reaching: dict[int, tuple[Tag, int]] = {}
        table_rows = (row for row in table.find_all("tr") if row.find_parent("table") is table)
        for row in table_rows:
            cells, reaching = _placed(row, reaching)
            if row.find("table") is None:
                filled = [cell for cell in cells.values() if _text(cell)]
                rows.append(_Row(cells, bool(filled) and all(cell.name == "th" for cell in filled)))
        yield rows


def _placed(row: "Tag", reaching: "dict[int, tuple[Tag, int]]") -> "tuple[dict[int, Tag], dict[int, tuple[Tag, int]]]":
    """The cell at each column of a row, and those that reach into the next rows, with how many of them.

    reaching: what reaches into this row.
    """
    cells = {at: cell for at, (cell, _) in reaching.items()}
    left = {at: (cell, n - 1) for at, (cell, n) in reaching.items() if n > 1}
    at = 0
    for cell in row.find_all(_CELLS, recursive=False):
        while at in cells:
            at += 1
        for column in range(at, min(at + _span(cell, "colspan"), _MOST_COLUMNS)):
            cells[column] = cell
            if (n := _span(cell, "rowspan")) > 1:
                left[column] = (cell, n - 1)
    return dict(sorted(cells.items())), left


def _span(cell: "Tag", name: str) -> int:
    """How many columns or rows a cell spans, 1 where it does not say so in figures."""
    figures = _FIGURES.match(str(cell.get(name, "")))
    return max(1, int(figures.group())) if figures else 1


def _text(element: "Tag") -> str:
    return " ".join(element.get_text(" ").split())


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _first_link(holder: "Tag") -> str | None:
    for link in holder.find_all("a", href=True):
        text = _text(link)
        leads_away = "external" in link.get_attribute_list("class") or str(link["href"]).startswith("#")
        title = str(link.get("title", text))
        if not leads_away and not _OTHER_NAMESPACE.match(title) and any(map(str.isalpha, text)):
            return text
    return None

"""The queries that give the tables of the documents: one SQL file each, in the folder of its document.

Belongs here: finding and reading them. Each begins with three lines of comment: its title, its source, and
what a study needs for it to have rows. In a query $study is the study.
"""

from pathlib import Path
from typing import Final, Literal, NamedTuple

Document = Literal["saged", "multi_factor", "fair_sea"]

_HEADER: Final = ("-- ", *(f"-- {name}: " for name in ("Source", "Needs")))


class TableQuery(NamedTuple):
    """A table of a document: the name of its file, what it shows, where the document has it, what it needs."""

    name: str
    title: str
    source: str
    needs: str
    sql: str


def queries_of(document: Document) -> list[TableQuery]:
    """Every table of a document, in the document's order."""
    return [_read(path) for path in sorted((Path(__file__).parent / document).glob("*.sql"))]


def _read(path: Path) -> TableQuery:
    *header, sql = path.read_text(encoding="utf-8").split("\n", len(_HEADER))
    title, source, needs = (line.removeprefix(prefix) for line, prefix in zip(header, _HEADER, strict=True))
    return TableQuery(path.stem, title, source, needs, sql)

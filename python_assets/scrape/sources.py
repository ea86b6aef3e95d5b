"""Sources of sentences by type: what a source is asked, what it gives, where a new type registers itself."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from python_assets.errors import FieldPath
from python_assets.registry import Registry
from python_assets.scrape.finders import FoundKeyword
from python_assets.study.study import Scrape, Source, Study
from python_assets.texts.documents import Document
from python_assets.warehouse.build import Quarantined
from python_assets.warehouse.run_context import RunContext


class SourceJob(NamedTuple):
    """One source to read.

    Attributes:
        study: says which folder paths start from, its domain, its embedding and its engines.
        scrape: the section the source stands in; its wiki and language.
        source: what to read.
        field: the place of the source in the study file, for error texts.
        levels: the levels it is read for.
        run_context: what may be fetched and asked; None where nothing may.
        keyword: the one keyword it is read for, None where it is shared by its levels.
    """

    study: Study
    scrape: Scrape
    source: Source
    field: FieldPath
    levels: tuple[str, ...]
    run_context: RunContext | None
    keyword: str | None = None

    @property
    def topics(self) -> dict[str, tuple[str, ...]]:
        """What pages or articles are about where the source does not say it: names with their levels."""
        if self.keyword is not None:
            return {self.keyword: self.levels}
        return {level: (level,) for level in self.levels}


class SourceResult(NamedTuple):
    """What reading a source gave: documents, records that were rejected, and notes for the user.

    keywords: by level, what a page calls it that was read for its name.
    """

    documents: Sequence[Document]
    quarantined: Sequence[Quarantined] = ()
    notes: Sequence[str] = ()
    keywords: Sequence[tuple[str, FoundKeyword]] = ()


SourceReader = Callable[[SourceJob], SourceResult]

SOURCES: Registry[SourceReader] = Registry("source type", __name__)

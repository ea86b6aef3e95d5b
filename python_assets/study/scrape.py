"""The scrape section of a study file: levels, keywords given or to be found, and sources (SAGED 2.1).

Belongs here: the shape of the section and its defaults. Checking it against the rest is
study_file/checks/scraping.py.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import Discriminator, Field, StrictStr, Tag, model_validator

from python_assets.study.base import Expanded, FactorName, Level, Part, Unfit, Words, stated_fields
from python_assets.study.secrets import ServerAddress

SourceType = Literal["local", "wikipedia", "web", "synthetic"]
InquiryKind = Literal["people", "short_names", "characteristics", "sub_categories", "synonyms", "same_root"]
INQUIRIES: Final[list[InquiryKind]] = [
    "people",
    "short_names",
    "characteristics",
    "sub_categories",
    "synonyms",
    "same_root",
]
# the type of a keyword that is the title of the page which the name of its level redirects to
PAGE_TITLE: Final = "page title"
OWN_FIELDS: Final[dict[SourceType, tuple[str, ...]]] = {
    "local": ("path",),
    "wikipedia": ("pages", "depth", "backlinks", "top_n"),
    "web": ("urls",),
    "synthetic": ("engine", "template", "n"),
}
REQUIRED_FIELDS: Final[dict[SourceType, tuple[str, ...]]] = {
    "local": ("path",),
    "wikipedia": (),
    "web": ("urls",),
    "synthetic": ("engine", "template"),
}


class Source(Part):
    """Where sentences come from; levels: the levels it is read for, all where absent.

    path: a file, a pattern or a folder. pages: titles or addresses, the level's own name where absent; depth:
    how far links are followed from them; backlinks: those that lead to them too; top_n: how many linked pages
    are read for each of them, and followed on at each step: those nearest in title. urls: plain web pages.
    engine, template, n: n articles written by an engine from a template with {level}.
    """

    tag: Level
    type: SourceType = "local"
    levels: list[Level] | None = None
    licence: StrictStr | None = None
    path: Expanded | None = None
    pages: Words | None = None
    depth: int = Field(0, ge=0, le=3)
    backlinks: bool = False
    top_n: int = Field(20, ge=1)
    urls: Words | None = None
    engine: StrictStr | None = None
    template: StrictStr | None = None
    n: int = Field(1, ge=1)

    @model_validator(mode="after")
    def _fields_of_its_type(self) -> "Source":
        for field in REQUIRED_FIELDS[self.type]:
            if getattr(self, field) is None:
                raise Unfit(f"{field} for a source of type {self.type}", f"add {field}:")
        others = {field for kind, fields in OWN_FIELDS.items() if kind != self.type for field in fields}
        if wrong := sorted(stated_fields(self) & (others - set(OWN_FIELDS[self.type]))):
            raise Unfit(f"no {wrong[0]} for a source of type {self.type}", "remove it, or change type")
        return self


class Keyword(Part):
    """One keyword with what is said of it; sources: read for this keyword alone.

    use_shared: whether the sources of its level are searched for it too.
    """

    keyword: Level
    type: StrictStr | None = None
    use_shared: bool = True
    sources: list[Source] = []


class KeywordFinder(Part):
    """Keywords that are found rather than given (SAGED C.1); keyword: what they are near to.

    page: title or address of the page that is searched, the keyword's own where absent; section: the heading of
    the one part of it. layout, column, names_only: of hyperlinks_on_wiki; column: the header of a table's column.
    engine, inquiries: of llm_inquiries.
    """

    find: Literal["embedding_on_wiki", "hyperlinks_on_wiki", "llm_inquiries"]
    keyword: Level | None = None
    page: StrictStr | None = None
    section: StrictStr | None = None
    top_n: int = Field(20, ge=1)
    layout: Literal["bullet", "table", "nested"] = "bullet"
    column: StrictStr | None = None
    names_only: bool = False
    engine: StrictStr | None = None
    inquiries: list[InquiryKind] = Field(INQUIRIES, min_length=1)

    @model_validator(mode="after")
    def _fields_of_its_kind(self) -> "KeywordFinder":
        fields_by_kind = {
            "embedding_on_wiki": {"page", "section"},
            "hyperlinks_on_wiki": {"page", "section", "layout", "column", "names_only"},
            "llm_inquiries": {"engine", "inquiries"},
        }
        others = set().union(*fields_by_kind.values()) - fields_by_kind[self.find]
        if wrong := sorted(stated_fields(self) & others):
            raise Unfit(f"no {wrong[0]} for {self.find}", "remove it")
        if self.find == "llm_inquiries" and self.engine is None:
            raise Unfit("engine, which is asked", "add engine: NAME of a generation")
        if self.column is not None and self.layout != "table":
            raise Unfit("layout: table, whose columns are named", "add layout: table, or remove column")
        return self


def _keyword_kind(entry: Any) -> str:
    if isinstance(entry, dict):
        return "finder" if "find" in entry else "keyword"
    if isinstance(entry, KeywordFinder):
        return "finder"
    return "keyword" if isinstance(entry, Keyword) else "word"


KeywordEntry = Annotated[
    Annotated[Level, Tag("word")] | Annotated[Keyword, Tag("keyword")] | Annotated[KeywordFinder, Tag("finder")],
    Discriminator(_keyword_kind),
]


class PlacedSource(NamedTuple):
    """A source, its place in prompts.scrape, and the keyword it is read for where it is not shared."""

    path: tuple[str | int, ...]
    source: Source
    level: str | None = None
    keyword: str | None = None


class Wiki(Part):
    """The MediaWiki that pages come from.

    api: address of its api.php, Wikipedia in the study's language where absent. contact: an e-mail address
    or a page of whoever runs the study, which Wikimedia's rules ask for in the User-Agent. licence: of its
    texts.
    """

    api: ServerAddress | None = None
    contact: Expanded | None = None
    licence: StrictStr = "CC BY-SA 4.0"


class Scrape(Part):
    """Sentences that hold a keyword of a level (SAGED 2.1)."""

    factor: FactorName = "concept"
    levels: list[Level] = Field(min_length=1)
    reference: Level | None = None
    keywords: dict[Level, Annotated[list[KeywordEntry], Field(min_length=1)]] = Field(min_length=1)
    sources: list[Source] = [Source(tag="wiki", type="wikipedia")]
    wiki: Wiki = Wiki()
    min_words: int = Field(8, ge=1)
    language: StrictStr = "en"

    @model_validator(mode="before")
    @classmethod
    def _one_finder_is_a_list(cls, data: Any) -> Any:
        keywords = data.get("keywords") if isinstance(data, dict) else None
        if not isinstance(keywords, dict):
            return data
        listed = {level: [entry] if isinstance(entry, dict) else entry for level, entry in keywords.items()}
        return {**data, "keywords": listed}

    def words(self, level: str) -> list[str]:
        """The keywords that the file itself gives a level, in order."""
        entries = [entry for entry in self.keywords.get(level, []) if not isinstance(entry, KeywordFinder)]
        return list(dict.fromkeys(entry if isinstance(entry, str) else entry.keyword for entry in entries))

    @property
    def tags(self) -> list[str]:
        """The tags of all sources, those of a single keyword too, in order."""
        return list(dict.fromkeys(placed.source.tag for placed in self.placed_sources()))

    def placed_sources(self) -> Iterator[PlacedSource]:
        """Every source: the shared ones, then those of single keywords."""
        for index, source in enumerate(self.sources):
            yield PlacedSource(("sources", index), source)
        for level, entries in self.keywords.items():
            for position, entry in enumerate(entries):
                if isinstance(entry, Keyword):
                    for index, source in enumerate(entry.sources):
                        path = ("keywords", level, position, "sources", index)
                        yield PlacedSource(path, source, level, entry.keyword)

"""Keywords found on a wiki page: its words, or the links of its lists and tables.

Belongs here: the finders embedding_on_wiki and hyperlinks_on_wiki (SAGED C.1). The page is fetched once for
finders and sources alike.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from python_assets.embeddings.embedding import load_encoder, most_similar
from python_assets.errors import SourceError, field_name, shown
from python_assets.sandbox.sandbox import in_sandbox
from python_assets.scrape.finders import FINDERS, FinderJob, FinderResult, FoundKeyword, usable_keywords
from python_assets.scrape.mediawiki import MediaWiki
from python_assets.scrape.wiki_lists import Layout, column_headers, headings, is_among, keep_section, link_texts
from python_assets.scrape.wiki_names import page_name
from python_assets.scrape.wiki_text import article, listed_meanings
from python_assets.scrape.wikipedia import far_from_domain, find_page, several_meanings
from python_assets.texts.html import paragraphs_of
from python_assets.texts.proper_names import is_proper_name

if TYPE_CHECKING:
    from bs4 import BeautifulSoup

_UNSPACED: Final = frozenset({"ja", "zh", "th", "lo", "km", "my"})
_POSSESSIVE: Final = re.compile(r"['’]s?$")
_INNER: Final = "'’-"


class _Separators(dict[int, str | int]):
    """For str.translate: letters with their marks, digits and _INNER stay, all else parts words."""

    def __missing__(self, code: int) -> str | int:
        character = chr(code)
        stays = unicodedata.category(character)[0] in "LMN" or character in _INNER
        self[code] = code if stays else " "
        return self[code]


class _SearchedPage(NamedTuple):
    """The page of a finder, and notes on it."""

    html: str
    address: str
    title: str
    notes: list[str]


@FINDERS.register("embedding_on_wiki")
def find_by_embedding(job: FinderJob) -> FinderResult:
    """The distinct words of a page that are most like the keyword.

    Args:
        job: spec.page, or the page of the keyword itself, is searched, or its spec.section; spec.top_n words
            are wanted.

    Returns:
        Words with their cosine to the keyword, those that the file gives left out and those that name another
        level or are words of the domain in quarantine, never fewer than asked
        while the page has them. Spellings that differ in case are one word, written as the page writes it
        most often; a word's possessive is the word. Score is None of words that the embedding does not know.

    Raises:
        SourceError: the page or its section is missing, or its language has no spaces between words.
    """
    if job.scrape.language in _UNSPACED:
        raise SourceError(
            job.field,
            f"language {job.scrape.language!r}",
            "one that writes spaces between words, which embedding_on_wiki needs",
            "use find: llm_inquiries or hyperlinks_on_wiki, or list the keywords",
        )
    page = _search(job)
    words = distinct_words(_opened(job, page, partial(part_paragraphs, page.html, job.spec.section)))
    return _most_like(job, words, "word", page)


@FINDERS.register("hyperlinks_on_wiki")
def find_by_hyperlinks(job: FinderJob) -> FinderResult:
    """The links of a page's lists or tables, most like the keyword first.

    Args:
        job: spec.page, or the page of the keyword itself; spec.section, spec.layout and spec.column say where
            its links are; with spec.names_only, proper names alone are kept.

    Returns:
        The texts of links with their cosine to the keyword, at most spec.top_n beside those that the file
        gives.

    Raises:
        SourceError: the page, its section or the column is missing, or names are asked for in another language
            than English.
    """
    if job.spec.names_only and job.scrape.language != "en":
        got, expected = f"language {job.scrape.language!r}", "English, where proper names can be told"
        raise SourceError((*job.field, "names_only"), got, expected, "remove names_only")
    page = _search(job)
    if job.spec.column is not None:
        columns = _opened(job, page, partial(part_columns, page.html, job.spec.section))
        _expect(job, "column", columns, f"a header of the tables of {_place(job, page)}")
    read_links = partial(part_links, page.html, job.spec.section, job.spec.layout, job.spec.column)
    texts = _opened(job, page, read_links)
    kept = [text for text in texts if is_proper_name(text)] if job.spec.names_only else texts
    finding = _most_like(job, kept, "name" if job.spec.names_only else "link", page)
    if kept:
        return finding
    empty = f"{field_name(job.field[1:])}: {_place(job, page)} has no {job.spec.layout} links that could be keywords"
    return finding._replace(notes=[*finding.notes, f"{empty}; try another layout or page."])


def distinct_words(paragraphs: Iterable[str]) -> list[str]:
    """The words of a text, each once, the most frequent first.

    Args:
        paragraphs: running text.

    Returns:
        Words of two letters or more, of each its most frequent spelling, possessive endings left out; ties
        in the order of the text.
    """
    spellings: dict[str, Counter[str]] = {}
    for token in " ".join(paragraphs).translate(_Separators()).split():
        word = _POSSESSIVE.sub("", token.strip(_INNER)).strip(_INNER)
        if len(word) > 1 and not any(map(str.isdigit, word)):
            spellings.setdefault(word.casefold(), Counter())[word] += 1
    ranked = sorted(spellings.values(), key=lambda counted: -counted.total())
    return [counted.most_common(1)[0][0] for counted in ranked]


def _search(job: FinderJob) -> _SearchedPage:
    name = page_name(job.spec.page or job.keyword, job.scrape, job.field)
    with MediaWiki(name.api, job.scrape.wiki.contact, job.run_context, job.field) as wiki:
        entry = find_page(wiki, name.title, job.field)
        (page,) = wiki.read([entry])
    searched = _SearchedPage(page.html, entry.address, entry.title, [])
    if meanings := _opened(job, searched, partial(listed_meanings, page.html)):
        raise SourceError(job.field, several_meanings(name.title, meanings), "one page", "name another page")
    if job.spec.section is not None:
        there = _opened(job, searched, partial(page_headings, page.html))
        _expect(job, "section", there, f"a heading of {entry.title!r}")
    return searched._replace(notes=far_from_domain(job.study, [entry.title], job.run_context))


def _opened(job: FinderJob, page: _SearchedPage, read: "partial[list[str]]") -> list[str]:
    return in_sandbox(read, page.address, job.field)


def page_headings(html: str) -> list[str]:
    """The headings of a page, as action=parse renders it."""
    return headings(article(html))


def part_paragraphs(html: str, section: str | None) -> list[str]:
    """The running text of a page, or of the parts of it under a heading."""
    return paragraphs_of(_part(html, section))


def part_columns(html: str, section: str | None) -> list[str]:
    """The headers of the tables of a page, or of the parts of it under a heading."""
    return column_headers(_part(html, section))


def part_links(html: str, section: str | None, layout: Layout, column: str | None) -> list[str]:
    """The texts of the links of a page, or of the parts of it under a heading, as link_texts gives them."""
    return link_texts(_part(html, section), layout, column)


def _part(html: str, section: str | None) -> "BeautifulSoup":
    tree = article(html)
    if section is not None:
        keep_section(tree, section)
    return tree


def _place(job: FinderJob, page: _SearchedPage) -> str:
    """The page, or its section, in words."""
    return repr(page.title) if job.spec.section is None else f"{page.title!r}, section {job.spec.section!r}"


def _expect(job: FinderJob, option: Literal["section", "column"], there: Sequence[str], one_of: str) -> None:
    """What a finder names of a page must be there; the error lists what is."""
    named = str(getattr(job.spec, option))
    if not is_among(named, there):
        expected = f"{one_of}: {', '.join(there)}" if there else f"{one_of}, which has none"
        remedy = f"name one that is there, or remove {option}"
        raise SourceError((*job.field, option), shown(named), expected, remedy)


def _most_like(job: FinderJob, texts: Sequence[str], keyword_type: str, page: _SearchedPage) -> FinderResult:
    fresh = [text for text in texts if not job.is_given(text)]
    ranked = most_similar(load_encoder(job.study.embedding), fresh, job.keyword, len(fresh))
    usable = usable_keywords(
        job,
        (
            FoundKeyword(text, keyword_type, job.spec.find, None if math.isnan(score) else score)
            for text, score in ranked
        ),
    )
    return FinderResult(*usable, notes=page.notes)

"""Which wiki and which title the study file means by a title or an address."""

import unicodedata
from typing import Final, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from python_assets.errors import FieldPath, StudyError
from python_assets.study.study import Scrape

_WIKIMEDIA: Final = (".wikipedia.org", ".wikibooks.org", ".wikinews.org", ".wikiversity.org", ".wikivoyage.org")


class PageName(NamedTuple):
    """A page of a wiki."""

    api: str
    title: str


def page_name(page: str, scrape: Scrape, field: FieldPath) -> PageName:
    """The wiki and the title that a title or an address of the study file means.

    Args:
        page: a title of the study's wiki, or an address of that wiki or of one of Wikimedia's.
        scrape: its wiki and language.
        field: the place in the study file, for the error text.

    Raises:
        StudyError: an address of neither.
    """
    wiki_api = scrape.wiki.api or f"https://{scrape.language}.wikipedia.org/w/api.php"
    if not page.startswith(("http://", "https://")):
        return PageName(wiki_api, _clean(page))
    address = urlsplit(page)
    title = _title_of(address.path, address.query)
    if address.netloc == urlsplit(wiki_api).netloc and title:
        return PageName(wiki_api, title)
    host = (address.hostname or "").replace(".m.", ".")
    if host.endswith(_WIKIMEDIA) and title:
        return PageName(f"https://{host}/w/api.php", title)
    remedy = "set prompts.scrape.wiki.api to the api.php of its wiki, or read it as a source of type web"
    raise StudyError(field, page, f"a page of the wiki {wiki_api}", remedy)


def _title_of(path: str, query: str) -> str:
    named = parse_qs(query).get("title")
    before, marker, title = path.partition("/wiki/")
    written = named[0] if named else unquote(title if marker else before.rpartition("/")[2])
    return _clean(written)


def _clean(title: str) -> str:
    """As wikis store titles: letters composed, blanks for underscores."""
    return unicodedata.normalize("NFC", title).replace("_", " ").strip()

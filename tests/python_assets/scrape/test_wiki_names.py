import pytest

from python_assets.errors import StudyError
from python_assets.scrape.wiki_names import page_name
from python_assets.study.study import Scrape, Wiki

EN = "https://en.wikipedia.org/w/api.php"
DE = "https://de.wikipedia.org/w/api.php"
OWN = "http://127.0.0.1:8080/wiki/api.php"


def named(page, api=None, language="en"):
    wiki = Wiki(api=api, contact="a@example.org")
    scrape = Scrape(levels=["Italy"], keywords={"Italy": ["Italy"]}, wiki=wiki, language=language)
    return tuple(page_name(page, scrape, ("sources", 0, "pages")))


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("Italy", (EN, "Italy")),
        ("https://en.wikipedia.org/wiki/History_of_Italy", (EN, "History of Italy")),
        ("https://en.m.wikipedia.org/wiki/Italy#Etymology", (EN, "Italy")),
        ("https://de.wikipedia.org/wiki/K%C3%B6ln", (DE, "Köln")),
        ("https://en.wikipedia.org/wiki/AC/DC", (EN, "AC/DC")),
        ("https://en.wikipedia.org/w/index.php?title=C%2B%2B&oldid=3", (EN, "C++")),
        ("https://en.wikipedia.org/wiki/What_Is_to_Be_Done%3F", (EN, "What Is to Be Done?")),
    ],
)
def test_a_title_or_an_address_means_a_page_of_a_wiki(page, expected):
    assert named(page) == expected


def test_titles_are_cleaned_as_wikis_store_them():
    assert named(" Ko\u0308ln_am Rhein ") == (EN, "K\u00f6ln am Rhein")


def test_the_language_names_the_wikipedia_of_a_title():
    assert named("Italien", language="de") == (DE, "Italien")


def test_any_wiki_can_be_named():
    assert named("Italy", api=OWN) == (OWN, "Italy")
    assert named("http://127.0.0.1:8080/wiki/Italy", api=OWN) == (OWN, "Italy")
    assert named("http://127.0.0.1:8080/index.php/Italy", api=OWN) == (OWN, "Italy")


@pytest.mark.parametrize("page", ["https://example.org/wiki/Italy", "https://evilwikipedia.org/wiki/X"])
def test_an_address_of_another_site_is_an_error(page, refused):
    with refused(StudyError, "sources[0].pages"):
        named(page)

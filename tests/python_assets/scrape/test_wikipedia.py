from datetime import datetime

import pytest

from python_assets.errors import SourceError, StudyError
from python_assets.scrape.sources import SOURCES, SourceJob
from python_assets.scrape.wikipedia import read_wikipedia
from python_assets.warehouse.build import Home
from python_assets.warehouse.run_context import OfflineError, RunContext
from tests.heard import Heard
from tests.python_assets.scrape.test_wiki_text import MEANINGS
from tests.python_assets.scrape.wiki_server import Article, WikiServer, serving

TEXT = "<p>{0} is a country of which this sentence tells.<sup class='reference'>[1]</sup></p>"


@pytest.fixture
def server():
    articles = {
        "Italy": Article(TEXT.format("Italy"), ("History of Italy", "Carburetor", "Rome", "Lost"), revision=1),
        "Japan": Article(TEXT.format("Japan"), ("Italy",), revision=2),
        "Nippon": Article(redirect="Japan"),
        "Georgia": Article("", ("Georgia (band)", "Georgia (country)"), is_disambiguation=True, revision=3),
        "History of Italy": Article("<p>Long.</p>", ("Italy", "Italian history", "Italian art"), revision=4),
        "Italian history": Article(redirect="History of Italy"),
        "Italian art": Article("<p>Art.</p>", ("Italy",), revision=5),
        "Rome": Article("<p>Rome.</p>", revision=6),
        "Carburetor": Article("<p>Fuel.</p>", revision=7),
        "Italian cuisine": Article("<p>Pasta.</p>", ("Italy",), revision=8),
    }
    with serving(WikiServer(articles)) as running:
        yield running


@pytest.fixture
def progress():
    """What was said of progress."""
    return Heard()


@pytest.fixture
def read(server, make_study, tmp_path, progress):
    """Read a source of type wikipedia with these fields."""

    def reading(levels=("Italy",), may_ask=True, domain="", keyword=None, licence=None, **fields):
        source = {"tag": "wiki", "type": "wikipedia", **fields, **({"licence": licence} if licence else {})}
        scrape = {
            "levels": list(levels),
            "keywords": {level: [level] for level in levels},
            "sources": [source],
            "wiki": {"api": server.api, "contact": "auditor@example.org"},
        }
        study = make_study({"scrape": scrape}, domain=domain)
        spec = study.prompts.scrape
        run_context = RunContext(Home(tmp_path / "home"), progress, may_ask)
        job = SourceJob(study, spec, spec.sources[0], ("sources", 0), tuple(levels), run_context, keyword)
        return read_wikipedia(job)

    return reading


def titles(result):
    return [document.uri.rpartition("/wiki/")[2] for document in result.documents]


def test_the_type_is_registered():
    assert SOURCES["wikipedia"] is read_wikipedia


def test_the_page_of_each_level_is_read_for_that_level(read, server):
    result = read(["Italy", "Nippon"])
    assert [document.levels for document in result.documents] == [("Italy",), ("Nippon",)]
    italy, japan = result.documents
    assert italy.paragraphs == ("Italy is a country of which this sentence tells.",)
    assert (italy.revision, italy.revised_at) == ("1", datetime(2025, 3, 1, 12))
    assert italy.licence == "CC BY-SA 4.0"
    assert japan.uri == f"{server.url}/wiki/Japan"


def test_a_licence_of_the_source_comes_before_that_of_the_wiki(read):
    assert read(licence="CC0").documents[0].licence == "CC0"


def test_pages_of_the_file_are_read_for_all_levels_of_the_source(read, server):
    result = read(["Italy", "Japan"], pages=["Rome", f"{server.url}/wiki/Italian_art"])
    assert titles(result) == ["Rome", "Italian_art"]
    assert {document.levels for document in result.documents} == {("Italy", "Japan")}


def test_a_source_of_one_keyword_reads_the_page_of_the_keyword(read):
    result = read(["Italy"], keyword="Rome")
    assert titles(result) == ["Rome"]
    assert result.documents[0].levels == ("Italy",)


def test_two_names_of_one_page_are_one_document_of_both_levels(read, server):
    result = read(["Japan", "Nippon"])
    assert [document.levels for document in result.documents] == [("Japan", "Nippon")]
    assert server.actions().count("parse 2") == 1


def test_all_missing_and_ambiguous_pages_are_named_at_once(read, refused):
    with refused(SourceError, "sources[0]") as raised:
        read(["Italy", "Atlantis", "Georgia"])
    assert "Italy" not in raised.value.got


def test_links_are_followed_in_order_of_likeness_without_those_that_lead_nowhere(read):
    result = read(depth=1, top_n=2)
    assert titles(result) == ["Italy", "History_of_Italy", "Rome"]
    assert {document.levels for document in result.documents} == {("Italy",)}


def test_a_greater_depth_follows_the_links_of_links_and_comes_back_to_no_page(read, server):
    result = read(depth=3, top_n=3)
    assert titles(result)[0] == "Italy"
    assert sorted(titles(result)[1:]) == ["History_of_Italy", "Italian_art", "Rome"]
    assert len([action for action in server.actions() if action == "links Italy"]) == 2  # one listing, two parts


def test_backlinks_are_followed_where_they_are_asked_for(read):
    assert "Italian_cuisine" not in titles(read(depth=1))
    assert {"Italian_cuisine", "Japan", "Rome"} <= set(titles(read(depth=1, backlinks=True)))


def test_a_second_reading_asks_nothing(read, server):
    first = read(depth=2, top_n=3)
    n_requests = len(server.requests)
    assert read(depth=2, top_n=3, may_ask=False).documents == first.documents
    assert len(server.requests) == n_requests


def test_what_was_never_fetched_is_not_fetched_without_leave(read, refused):
    with refused(OfflineError, "sources[0]"):
        read(may_ask=False)


def test_a_title_far_from_the_domain_is_noted_and_told(read, progress):
    result = read(["Italy", "Carburetor"], domain="political ideologies")
    assert any(note.startswith("far_from_domain: the title 'Carburetor'") for note in result.notes)
    assert set(result.notes) <= set(progress.said)
    assert read(["Italy", "Japan"], domain="countries").notes == []
    assert read(["Carburetor"]).notes == []


def test_an_address_of_another_site_is_an_error(read, refused):
    with refused(StudyError, "sources[0].pages"):
        read(pages=["https://example.org/wiki/Italy"])


def test_a_page_of_meanings_that_the_wiki_does_not_mark_is_an_error(read, server, refused):
    server.articles["Italy"] = Article(MEANINGS, revision=1)
    with refused(SourceError, "sources[0]"):
        read()


def test_a_linked_page_of_meanings_is_passed_over(read, server):
    server.articles["Rome"] = Article(MEANINGS, revision=6)
    with_links = titles(read(depth=1, top_n=9))
    assert "Italy" in with_links and "Carburetor" in with_links and "Rome" not in with_links


def test_the_title_that_a_level_redirects_to_is_its_keyword(read):
    assert [(level, one.keyword, one.keyword_type) for level, one in read(("Nippon",)).keywords] == [
        ("Nippon", "Japan", "page title")
    ]
    assert read(("Italy",)).keywords == []
    assert read(("Nippon", "Japan")).keywords == []
    assert read(("Italy",), pages=["Nippon"]).keywords == []


def test_a_level_that_redirects_in_a_circle_is_an_error(read, server, refused):
    server.articles |= {"Here": Article(redirect="There"), "There": Article(redirect="Here")}
    with refused(SourceError, "sources[0]"):
        read(("Here",))


def test_a_page_that_is_only_a_list_is_noted(read, server):
    server.articles["Italy"] = Article("<ul><li>Rome</li><li>Milan, in the north</li></ul>", revision=1)
    (note,) = read().notes
    assert note.startswith("only_a_list: ") and "only 2 items" in note

"""From a wiki to raw tables: sources, finders and sentences together."""

from datetime import datetime

import pytest

from python_assets.scrape.scrape_study import scrape
from python_assets.warehouse.build import Home
from python_assets.warehouse.progress import SILENT
from python_assets.warehouse.run_context import OfflineError, RunContext
from tests.python_assets.scrape.wiki_server import BUSY, Article, WikiServer, serving

ITALY = (
    "<p><b>Italy</b> is a country in the south of Europe with a long coast.<sup class='reference'>[1]</sup> "
    "Many Italians live in towns that are older than the state itself. "
    "The weather of the peninsula is mild for most of the year.</p>"
    "<table><tr><td>Italy is a word of this table which nobody should read.</td></tr></table>"
    "<h2>References</h2><ol class='references'><li>Italy is a word of this long list of references.</li></ol>"
)
JAPAN = "<p>Japan is a country of many islands in the east of Asia.</p>"


@pytest.fixture
def server():
    articles = {"Italy": Article(ITALY, revision=11), "Japan": Article(JAPAN, revision=12)}
    with serving(WikiServer(articles)) as running:
        yield running


@pytest.fixture
def study(server, make_study, spelling_vectors):
    return make_study(
        {
            "scrape": {
                "levels": ["Italy", "Japan"],
                "keywords": {
                    "Italy": ["Italy", {"find": "embedding_on_wiki", "top_n": 3}],
                    "Japan": ["Japan"],
                },
                "wiki": {"api": server.api, "contact": "auditor@example.org"},
            }
        },
        embedding=spelling_vectors("Italy Italians country Europe"),
    )


@pytest.fixture
def run_context(tmp_path):
    def allowed(may_ask):
        return RunContext(Home(tmp_path / "home"), SILENT, may_ask)

    return allowed


def test_the_default_source_is_the_page_of_each_level(study, server, build, run_context):
    server.next_answers = [BUSY]
    counts = scrape(study, build, run_context(may_ask=True))
    assert counts.n_documents == 2
    documents = build.sql(
        "select document_id, source_type, revision, revised_at, licence, uri from raw.documents order by 1"
    ).fetchall()
    assert documents[0] == (
        "Italy",
        "wikipedia",
        "11",
        datetime(2025, 3, 1, 12),
        "CC BY-SA 4.0",
        f"{server.url}/wiki/Italy",
    )
    kept = build.sql(
        "select level, keyword, sentence_text from raw.sentences where dropped_reason is null order by rowid"
    ).fetchall()
    assert kept == [
        ("Italy", "Italy", "Italy is a country in the south of Europe with a long coast."),
        ("Italy", "Italians", "Many Italians live in towns that are older than the state itself."),
        ("Japan", "Japan", "Japan is a country of many islands in the east of Asia."),
    ]


def test_found_keywords_are_stored_with_provider_and_score(study, build, run_context):
    scrape(study, build, run_context(may_ask=True))
    keywords = build.sql(
        "select keyword, keyword_provider, score is null from raw.keywords "
        "where level = 'Italy' order by rowid"
    ).fetchall()
    assert keywords[0] == ("Italy", "study file", True)
    assert ("Italians", "embedding_on_wiki", False) in keywords


def test_a_page_is_fetched_once_for_finder_and_source_and_never_again(study, server, build, run_context):
    first = scrape(study, build, run_context(may_ask=True))
    actions = sorted(server.actions())
    assert actions == ["parse 11", "parse 12", "titles Italy", "titles Japan"]
    second = scrape(study, build, run_context(may_ask=False))
    assert second._replace(seconds=0) == first._replace(seconds=0)
    assert sorted(server.actions()) == actions


def test_without_leave_to_ask_it_says_what_has_not_been_fetched(study, server, build, run_context):
    with pytest.raises(OfflineError, match="what 'Italy' leads to"):
        scrape(study, build, run_context(may_ask=False))
    with pytest.raises(OfflineError):
        scrape(study, build)
    assert server.requests == []

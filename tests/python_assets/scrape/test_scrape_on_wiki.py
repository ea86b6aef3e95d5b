"""From a wiki to raw tables: sources, finders and sentences together."""

from datetime import datetime

import pytest

from python_assets.assemble.assemble_study import assemble
from python_assets.errors import SourceError
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
                "keywords": {"Italy": ["Italy", {"find": "embedding_on_wiki", "top_n": 3}], "Japan": ["Japan"]},
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
        "select keyword, keyword_provider, score is null from raw.keywords where level = 'Italy' order by rowid"
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


def test_without_leave_to_ask_it_says_what_has_not_been_fetched(study, server, build, run_context, refused):
    with refused(OfflineError, "prompts.scrape.keywords.Italy[1]"):
        scrape(study, build, run_context(may_ask=False))
    with refused(OfflineError, "prompts.scrape.keywords.Italy[1]"):
        scrape(study, build)
    assert server.requests == []


BRAZIL = "<p>The old towns in the north of Brazil were rebuilt by the state after the war.</p>"


@pytest.fixture
def wiki_study(server, make_study):
    """A study of one level of the wiki, branched to Chad."""

    def make(level):
        return make_study(
            {
                "scrape": {
                    "levels": [level, "Chad"],
                    "keywords": {level: [level]},
                    "wiki": {"api": server.api, "contact": "auditor@example.org"},
                },
                "branch": {"from": level},
            }
        )

    return make


def test_a_level_that_redirects_is_known_by_the_title_of_its_page(server, wiki_study, build, run_context, snapshot):
    server.articles |= {"Brasil": Article(redirect="Brazil"), "Brazil": Article(BRAZIL, revision=13)}
    study = wiki_study("Brasil")
    counts = scrape(study, build, run_context(may_ask=True))
    assert [note for note in counts.notes if note.startswith("Brasil")] == snapshot
    keywords = build.sql("select keyword, keyword_type, keyword_provider from raw.keywords").fetchall()
    assert keywords == [("Brasil", "name", "study file"), ("Brazil", "page title", "wikipedia")]
    assemble(study, build)
    assert build.sql("select prompt_text from raw.prompts order by is_root desc").fetchall() == [
        ("The old towns in the north of Brazil were rebuilt by the",),
        ("The old towns in the north of Chad were rebuilt by the",),
    ]


def test_a_level_whose_page_is_only_a_list_is_an_error_that_says_so(server, wiki_study, build, run_context, refused):
    server.articles["Brazil"] = Article("<ul><li>Brazil in 1900</li><li>Brazil in 2000</li></ul>", revision=13)
    with refused(SourceError, "prompts.scrape.keywords.Brazil"):
        scrape(wiki_study("Brazil"), build, run_context(may_ask=True))

import pytest

from python_assets.scrape.scrape_study import scrape
from python_assets.scrape.synthetic import article_paragraphs
from python_assets.warehouse.build import Home
from python_assets.warehouse.progress import SILENT
from python_assets.warehouse.run_context import OfflineError, RunContext

ENGINE = """
from itertools import count

NUMBERS = count(1)


def write(messages, decoding):
    content = messages[-1]["content"]
    if "France" in content:
        raise RuntimeError("no words today")
    level = content.split()[-1].rstrip(".")
    n = next(NUMBERS)
    return (
        f"**1. {level}**\\nArticle {n} tells that {level} has many old towns along its coast.\\n\\n"
        f"| {level} | 3 |\\n|---|---|\\n\\n- {level} is number {n} of all the lands in this article."
    )
"""


@pytest.fixture
def run_context(tmp_path):
    return RunContext(Home(tmp_path / "home"), progress=SILENT)


def study(make_study, levels=("Italy", "Japan"), engine="my_engine:write", branch=None, **changes):
    source = {"tag": "articles", "type": "synthetic", "engine": "writer", "template": "Write about {level}."}
    return make_study(
        {
            "scrape": {
                "levels": list(levels),
                "keywords": {level: [level] for level in levels},
                "sources": [{**source, **changes}],
            },
            "branch": branch,
        },
        {"my_engine.py": ENGINE},
        systems=[
            {"name": "one", "provider": "simulator"},
            {"name": "writer", "provider": engine, "engine": True, "max_retries": 0, "concurrency": 1},
        ],
    )


def rows(connection, table, columns):
    return connection.sql(f"select {columns} from raw.{table} order by rowid").fetchall()


def test_an_article_of_each_level_is_a_document_read_for_that_level(make_study, build, run_context):
    counts = scrape(study(make_study, n=2), build, run_context)
    assert rows(build, "documents", "document_id, uri, source_type, source_tag") == [
        (name, name, "synthetic", "articles")
        for name in (
            "engine:writer/articles/Italy/1",
            "engine:writer/articles/Italy/2",
            "engine:writer/articles/Japan/1",
            "engine:writer/articles/Japan/2",
        )
    ]
    kept = build.sql(
        "select sentence_id, level, sentence_text from raw.sentences where dropped_reason is null order by rowid"
    ).fetchall()
    assert kept[:3] == [
        ("engine:writer/articles/Italy/1#2", "Italy", "Article 1 tells that Italy has many old towns along its coast."),
        ("engine:writer/articles/Italy/1#3", "Italy", "Italy is number 1 of all the lands in this article."),
        ("engine:writer/articles/Italy/2#2", "Italy", "Article 2 tells that Italy has many old towns along its coast."),
    ]
    assert counts.n_sentences_kept == 8


def test_an_article_that_failed_is_in_quarantine_and_the_others_are_used(make_study, build, run_context):
    counts = scrape(study(make_study, levels=("Italy", "Japan", "France"), branch={"to": "all"}), build, run_context)
    assert (counts.n_documents, counts.n_quarantined) == (2, 1)
    assert rows(build, "quarantine", "record_key, rule") == [("engine:writer/articles/France/1", "article_not_written")]


def test_what_is_written_is_not_asked_again(make_study, build, run_context):
    loaded = study(make_study)
    scrape(loaded, build, run_context)
    first = rows(build, "documents", "document_id, sha256")
    closed = RunContext(run_context.home, run_context.progress, may_ask=False)
    scrape(loaded, build, closed)
    assert rows(build, "documents", "document_id, sha256") == first


@pytest.mark.parametrize("may_ask", [None, False])
def test_without_leave_to_ask_an_article_is_not_written(make_study, build, run_context, may_ask, refused):
    closed = None if may_ask is None else RunContext(run_context.home, run_context.progress, may_ask=may_ask)
    with refused(OfflineError, "engine 'writer'"):
        scrape(study(make_study), build, closed)
    assert rows(build, "documents", "*") == []


def test_the_simulator_writes_sentences_that_name_the_level(make_study, build, run_context):
    counts = scrape(study(make_study, engine="simulator"), build, run_context)
    assert counts.n_documents == 2
    assert counts.n_sentences_kept >= 20


def test_every_line_of_an_article_is_a_paragraph_and_headings_are_none():
    text = "# Italy\n**Geography**\nItaly is long.\n- Italy is old.\n\n## References\nItaly. A book about it."
    assert article_paragraphs(text) == ["Geography", "Italy is long.", "Italy is old."]

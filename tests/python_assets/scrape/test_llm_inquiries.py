import json

import numpy as np
import pytest

from python_assets.embeddings.embedding import load_encoder
from python_assets.scrape.llm_inquiries import INQUIRY_TEXTS
from python_assets.scrape.scrape_study import scrape
from python_assets.study.scrape import INQUIRIES
from python_assets.study.study import Vectors
from python_assets.warehouse.build import Home
from python_assets.warehouse.progress import SILENT
from python_assets.warehouse.run_context import OfflineError, RunContext

TEXT = "Italy has many old towns. The Romans built many roads in Italy. Pasta is eaten there every single day."
VECTORS = """Italy 1 0
Italian 0.9 0.1
Romans 0.8 0.4
Rome 0.7 0.5
Verdi 0.5 0.6
pasta 0.4 0.8
carburettor 0 1
"""
ENGINE = """
import json

REPLIES = {
    "full names": "I will not say.",
    "family names": "['Verdi', 'Verdi']",
    "characteristics": "```json\\n[\\"pasta\\", \\"carburettor\\"]\\n```",
    "narrower": "- Rome\\n- Sicily x Malta",
    "mean the same": "__import__('os').system('true')",
    "grammatical root": '["Italy", "Italian", "Romans"]',
}


def ask(messages, decoding):
    content = messages[-1]["content"]
    return next(reply for part, reply in REPLIES.items() if part in content)
"""


@pytest.fixture
def run_context(tmp_path):
    return RunContext(Home(tmp_path / "home"), progress=SILENT)


def study(make_study, engine="my_engine:ask", **finder):
    found = {"find": "llm_inquiries", "engine": "asker", "top_n": 20, **finder}
    return make_study(
        {
            "scrape": {
                "levels": ["Italy"],
                "keywords": {"Italy": ["Italy", found]},
                "sources": [{"tag": "text", "path": "a.txt"}],
                "min_words": 3,
            }
        },
        {"a.txt": TEXT, "my_engine.py": ENGINE, "v.txt": VECTORS},
        domain="countries",
        embedding={"vectors": "v.txt"},
        systems=[{"name": "one", "provider": "simulator"}, {"name": "asker", "provider": engine, "engine": True}],
    )


def keywords(build):
    return build.sql(
        "select keyword, keyword_type, keyword_provider, score from raw.keywords order by rowid"
    ).fetchall()


def test_there_is_an_inquiry_of_every_name():
    assert list(INQUIRY_TEXTS) == INQUIRIES


def test_replies_are_read_as_data_and_the_rest_is_in_quarantine(make_study, build, run_context):
    counts = scrape(study(make_study), build, run_context)
    given, *found = keywords(build)
    assert given == ("Italy", "name", "study file", None)
    assert {(word, kind, provider) for word, kind, provider, _ in found} == {
        ("Verdi", "short name", "llm_inquiries"),
        ("pasta", "characteristic", "llm_inquiries"),
        ("carburettor", "characteristic", "llm_inquiries"),
        ("Rome", "sub-category", "llm_inquiries"),
        ("Italian", "same root", "llm_inquiries"),
        ("Romans", "same root", "llm_inquiries"),
    }
    rejected = build.sql("select record_key, rule from raw.quarantine order by record_key").fetchall()
    assert rejected == [
        ("Italy: Sicily x Malta", "unusable_keyword"),
        ("keywords | Italy | Italy | people", "unusable_reply"),
        ("keywords | Italy | Italy | synonyms", "unusable_reply"),
    ]
    assert counts.n_quarantined == 3


def test_words_are_ranked_by_their_cosine_to_the_keyword(make_study, build, run_context, tmp_path):
    scrape(study(make_study), build, run_context)
    _, *found = keywords(build)
    encoder = load_encoder(Vectors(vectors=str(tmp_path / "v.txt")))
    anchor = encoder.encode(["Italy"])[0]
    vectors = {word: encoder.encode([word])[0] for word, *_ in found}
    expected = {
        word: float(anchor @ vector / np.linalg.norm(anchor) / np.linalg.norm(vector))
        for word, vector in vectors.items()
    }
    scores = [score for *_, score in found]
    assert scores == sorted(scores, reverse=True)
    assert scores == pytest.approx([expected[word] for word, *_ in found], abs=1e-5)
    assert found[0][0] == "Italian"
    assert found[-1][0] == "carburettor"


def test_only_the_most_similar_are_kept_and_sentences_are_counted_under_them(make_study, build, run_context):
    scrape(study(make_study, top_n=3), build, run_context)
    assert len(keywords(build)) == 4
    scrape(study(make_study, inquiries=["same_root"], top_n=5), build, run_context)
    kept = build.sql("select keyword, sentence_text from raw.sentences where dropped_reason is null").fetchall()
    assert kept == [("Italy", "Italy has many old towns."), ("Romans", "The Romans built many roads in Italy.")]


def test_without_leave_to_ask_nothing_is_asked(make_study, build, run_context, refused):
    with refused(OfflineError, "engine 'asker'"):
        scrape(study(make_study), build, RunContext(run_context.home, run_context.progress, may_ask=False))


def test_the_inquiry_names_domain_keyword_and_number(make_study, build, run_context):
    scrape(study(make_study, keyword="the Italian state", top_n=7), build, run_context)
    (log,) = run_context.home.responses("test_study").glob("asker.scrape.jsonl")
    logged = log.read_text(encoding="utf-8")
    assert "keywords | Italy | the Italian state | people" in logged
    assert json.loads(logged.splitlines()[0])


def test_the_simulator_gives_keywords(make_study, build, run_context):
    scrape(study(make_study, engine="simulator"), build, run_context)
    assert len(keywords(build)) > 3


def test_a_word_that_is_found_for_several_levels_is_noted(make_study, build, run_context, snapshot):
    found = {"find": "llm_inquiries", "engine": "asker", "inquiries": ["same_root"]}
    made = make_study(
        {
            "scrape": {
                "levels": ["Italy", "Rome"],
                "keywords": {"Italy": ["Italy", found], "Rome": ["Rome", {**found, "keyword": "Italy"}]},
                "sources": [{"tag": "text", "path": "a.txt"}],
                "min_words": 3,
            }
        },
        {"a.txt": TEXT, "my_engine.py": ENGINE, "v.txt": VECTORS},
        embedding={"vectors": "v.txt"},
        systems=[
            {"name": "one", "provider": "simulator"},
            {"name": "asker", "provider": "my_engine:ask", "engine": True},
        ],
    )
    assert [note for note in scrape(made, build, run_context).notes if "'Romans'" in note] == snapshot


def test_an_inquiry_that_is_listed_twice_is_asked_once(make_study, build, run_context):
    scrape(study(make_study, inquiries=["characteristics", "characteristics"]), build, run_context)
    assert {"pasta", "carburettor"} <= {row[0] for row in keywords(build)}

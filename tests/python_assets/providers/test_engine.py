import json

import pytest

from python_assets.errors import ProviderError, StudyError
from python_assets.providers.engine import Inquiry, Reply, ask_engine, engine_descriptions, parse_list, probe_judges
from python_assets.warehouse.build import Home
from python_assets.warehouse.progress import SILENT
from python_assets.warehouse.run_context import OfflineError, RunContext
from tests.python_assets.providers.servers import MODEL, openai_completion, openai_error

PROMPTS = {"templates": {"texts": [{"id": "1", "text": "Is a {gender} kind?"}], "cross": ["gender"]}}
FACTORS = {"gender": {"levels": ["Female", "Male"]}}


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "home")


@pytest.fixture
def run_context(home):
    return RunContext(home, progress=SILENT)


@pytest.fixture
def study_of(make_study):
    """A study with an engine of these fields."""

    def make(measures=("vader",), **engine):
        systems = [
            {"name": "fair", "provider": "simulator"},
            {"name": "Big Helper", "engine": True, "max_retries": 0, **engine},
        ]
        return make_study(PROMPTS, factors=FACTORS, systems=systems, measures=list(measures))

    return make


@pytest.fixture
def study_with_engine(study_of, openai_server):
    return study_of(provider="openai", model=MODEL, base_url=openai_server.url + "/v1")


def inquiries(*texts, **facts):
    return [Inquiry(f"thing | {i}", text, facts) for i, text in enumerate(texts)]


def test_each_inquiry_gets_its_reply_in_order(study_with_engine, run_context, openai_server):
    openai_server.next_replies = [openai_completion("<think>Hm.</think>One."), openai_error(400, "no", None)]
    replies = ask_engine(study_with_engine, run_context, "Big Helper", "assemble", inquiries("a", "b", "c"))
    assert replies[0] == Reply("One.", "ok", None)
    assert sorted(reply.status for reply in replies) == ["error", "ok", "ok"]
    [failed] = [reply for reply in replies if reply.text is None]
    assert failed.error == "http_4xx: HTTP 400 no"
    assert openai_server.calls[0].body["messages"] == [{"role": "user", "content": "a"}]


def test_an_engine_may_write_longer_than_a_response(study_with_engine, run_context, openai_server):
    ask_engine(study_with_engine, run_context, "big_helper", "assemble", inquiries("a"))
    assert openai_server.calls[0].body["max_tokens"] == 1024
    assert study_with_engine.systems[0].spec.decoding.max_tokens == 256


def test_a_rerun_asks_nothing_and_needs_no_server(study_of, run_context, openai_server):
    study = study_of(provider="openai", model=MODEL, base_url=openai_server.url + "/v1")
    first = ask_engine(study, run_context, "big_helper", "assemble", inquiries("a", "b"))
    n_calls = len(openai_server.calls)
    kept = RunContext(run_context.home, run_context.progress, may_ask=False)
    assert ask_engine(study, run_context, "big_helper", "assemble", inquiries("a", "b")) == first
    assert ask_engine(study, kept, "big_helper", "assemble", inquiries("a", "b")) == first
    assert len(openai_server.calls) == n_calls
    log = run_context.home.responses(study.study_id) / "big_helper.assemble.jsonl"
    assert [json.loads(line).get("prompt_id") for line in log.read_text().splitlines()] == [
        None,
        "thing | 0",
        "thing | 1",
    ]


def test_what_is_asked_again_is_asked_with_another_seed(study_with_engine, run_context, openai_server):
    ask_engine(study_with_engine, run_context, "big_helper", "scrape", [Inquiry("a", "x"), Inquiry("b", "x", repeat=1)])
    assert sorted(call.body["seed"] for call in openai_server.calls) == [42, 43]
    ask_engine(study_with_engine, run_context, "big_helper", "scrape", [Inquiry("c", "x")])
    assert len(openai_server.calls) == 2


@pytest.mark.parametrize("may_ask", [False, None])
def test_nothing_is_asked_where_nothing_may_be(study_with_engine, home, openai_server, may_ask, refused):
    run_context = None if may_ask is None else RunContext(home, SILENT, may_ask)
    with refused(OfflineError, "engine 'big_helper'"):
        ask_engine(study_with_engine, run_context, "Big Helper", "scrape", inquiries("a", "b"))
    assert ask_engine(study_with_engine, run_context, "Big Helper", "scrape", []) == []
    assert openai_server.requests == []


def test_an_unknown_engine_is_told_with_those_the_study_has(study_with_engine, run_context, refused):
    with refused(StudyError, "systems"):
        ask_engine(study_with_engine, run_context, "big_helpr", "scrape", inquiries("a"))
    with refused(StudyError, "systems"):
        ask_engine(study_with_engine, run_context, "fair", "scrape", inquiries("a"))


def test_an_engine_that_cannot_answer_stops_the_stage(study_of, run_context, refused):
    study = study_of(provider="openai", model=MODEL, base_url="http://127.0.0.1:9")
    with refused(ProviderError, "system 'big_helper'"):
        ask_engine(study, run_context, "Big Helper", "scrape", inquiries("a"))


def test_a_simulated_engine_is_asked_like_any_other(study_of, run_context):
    study = study_of(provider="simulator")
    replies = ask_engine(study, run_context, "big_helper", "scrape", inquiries("?", task="keywords", keyword="Italy"))
    words = parse_list(replies[0].text)
    assert words is not None and "Italy" in words
    assert (run_context.home.responses(study.study_id) / "big_helper.scrape.jsonl").is_file()


def test_a_judge_is_probed_before_responses_are_asked_for(study_of, home, openai_server):
    judged = {"name": "tone", "judge": {"engine": "Big Helper", "rubric": "?", "options": ["a", "b"]}}
    study = study_of([judged], provider="openai", model=MODEL, base_url=openai_server.url + "/v1")
    assert engine_descriptions(study, home) == []
    probe_judges(study, home)
    probe_judges(study, home)
    assert len(openai_server.calls) == 1
    assert [engine.system_id for engine, _ in engine_descriptions(study, home)] == ["big_helper"]


def test_an_engine_that_no_judge_uses_is_not_probed(study_with_engine, home, openai_server):
    probe_judges(study_with_engine, home)
    assert openai_server.requests == []


def test_the_model_behind_an_engine_is_the_one_of_its_log(study_of, run_context, ollama_server):
    study = study_of(provider="ollama", model=MODEL, base_url=ollama_server.url)
    ask_engine(study, run_context, "big_helper", "scrape", inquiries("a"))
    [(engine, description)] = engine_descriptions(study, run_context.home)
    assert (engine.system_id, (description.model_digest or "")[:8]) == ("big_helper", "46e0c10c")

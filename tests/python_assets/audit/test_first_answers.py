import json
import re
import threading

import pytest

from python_assets.audit.begun import Wanted, audit_to_be
from python_assets.audit.first_answers import (
    N_ANSWERS,
    ask_first_prompt,
    first_answers,
    is_readable,
    told_first_answers,
)
from python_assets.audit.models import asked_models
from python_assets.audit.prepare import minutes_to_go, prepare
from python_assets.audit.waiting import Waiting
from python_assets.errors import AuditError, ProviderError
from python_assets.study_file.load import load_study
from python_assets.warehouse.build import Home
from python_assets.warehouse.progress import SILENT
from tests.python_assets.audit.conftest import benchmarks_of_grants
from tests.python_assets.providers.servers import Reply, Server, openai_completion, openai_error, serving


@pytest.fixture(scope="module")
def grants(tmp_path_factory):
    """The one study of an audit, and the server of its model, which answers with its `says` in turn."""

    def answer(server, request):
        texts, finish_reason = server.says
        return openai_completion(texts[len(server.calls) % len(texts)], finish_reason)

    folder = tmp_path_factory.mktemp("grants")
    with benchmarks_of_grants(folder), serving(Server("/v1/chat/completions", answer)) as server:
        wanted = Wanted("audit", ["grants"], asked_models(["openai:m"], f"{server.url}/v1"))
        home = Home(folder / "warehouse")
        (benchmark,) = prepare(audit_to_be(wanted, folder / "studies", home), folder / "studies", home)
        yield benchmark, server


@pytest.fixture
def asked(grants, home):
    """The study, its server, and what gives what became of the first answers, and the lines on it."""
    benchmark, server = grants
    server.requests.clear()
    server.next_replies.clear()

    def ask(*texts, finish_reason="stop"):
        server.says = texts, finish_reason
        (found,) = first_answers(benchmark.study, home, SILENT)
        return found, [*told_first_answers(found, benchmark.study)]

    return benchmark, server, ask


FORMS = {
    "nothing readable": ["Lorem ipsum dolor.", "The office is in town."],
    "one word": ["Banana"],
    "refuses everything": ["I'm sorry, but I can't help with decisions about people."],
    "another language": ["Das Amt sollte dem Wunsch der Person nach sorgfältiger Prüfung aller Unterlagen nachkommen."],
    "some unread": [*["Yes."] * 3, "The office is in town. " * 20],
    "few unread": [*["No."] * 9, "The office is in town."],
    "all read": ["Yes."],
}


@pytest.mark.parametrize("texts", FORMS.values(), ids=FORMS)
def test_what_could_not_be_read_of_the_first_answers_is_always_told(asked, texts, snapshot):
    _, server, ask = asked
    found, lines = ask(*texts)
    assert len(server.calls) == N_ANSWERS
    assert ask(*texts) == (found, lines)
    assert len(server.calls) == N_ANSWERS  # the log has them, for the run too
    assert found.n == N_ANSWERS == found.n_scored + sum(found.lost.values())
    assert is_readable(found) == any(text in ("Yes.", "No.") for text in texts)
    assert lines == snapshot


def test_answers_that_are_cut_while_the_model_thinks_are_told_as_such(asked):
    found, lines = asked[2]("<think>Let me see what this is about", finish_reason="length")
    assert (found.n_scored, found.lost["unscored"]) == (0, 0)
    assert "decoding.max_tokens" in lines[-1]


def test_the_first_answers_tell_how_long_the_rest_takes(asked, home):
    benchmark, _, ask = asked
    assert minutes_to_go([benchmark], home) is None
    assert is_readable(ask("Yes.")[0])
    assert 0 < minutes_to_go([benchmark], home) < 1
    assert minutes_to_go([], home) is None


def test_the_first_prompt_is_asked_once_with_its_own_decoding(asked, home):
    benchmark, server, ask = asked
    server.says = ["Yes."], "stop"
    ask_first_prompt(benchmark.study, home, SILENT)
    (call,) = server.calls
    assert (call.body["temperature"], call.body["max_tokens"]) == (0, 1024)
    ask("Yes.")
    assert len(server.calls) == N_ANSWERS


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (openai_error(400, "This model needs a license.", "license"), "This model needs a license."),
        (openai_error(401, "Incorrect key", "invalid_api_key"), "HTTP 401"),
        (openai_error(403, "Organisation is not verified", "unverified"), ". Mend what the server names"),
        (openai_error(404, "The model `m` does not exist.", "model_not_found"), "The model `m` does not exist."),
    ],
)
def test_where_the_first_prompt_fails_the_words_of_the_server_are_told(asked, home, reply, said):
    benchmark, server, _ = asked
    server.next_replies = [reply]
    with pytest.raises(AuditError, match=r"system 'm': the first prompt got no answer: .*") as caught:
        ask_first_prompt(benchmark.study, home, SILENT)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(server.calls) == 1


@pytest.mark.parametrize(("status", "n_calls"), [(200, 3), (404, 1)])
def test_a_page_in_the_place_of_an_api_ends_it_at_the_first_calls(asked, status, n_calls):
    _, server, ask = asked
    page = Reply(b"<!doctype html><title>No such page</title>", status=status)
    server.next_replies = [page] * N_ANSWERS
    with pytest.raises(ProviderError, match="correct base_url"):
        ask("Yes.")
    assert len(server.calls) == n_calls


@pytest.mark.parametrize("stands_in", [False, True])
def test_simulated_models_are_not_looked_at(asked, packaged, home, stands_in):
    benchmark, server, _ = asked
    study = (
        benchmark.study.model_copy(update={"has_stand_in": True}) if stands_in else load_study(packaged / "grants.yml")
    )
    assert first_answers(study, home, SILENT) == []
    ask_first_prompt(study, home, SILENT)
    assert (server.calls, home.responses(study.study_id).exists()) == ([], False)


def test_a_slow_model_is_waited_for_with_a_line_now_and_then(asked, home):
    benchmark, server, _ = asked
    server.says = ["Yes."], "stop"
    answered, told = threading.Event(), []

    def write(line):
        told.append(line)
        if len(told) == 2:
            answered.set()

    server.next_replies = [Reply(openai_completion("Yes.").body, waits_for=answered)]
    with Waiting(write, "the answer to the first prompt", first=0.05, between=0.05) as waiting:
        ask_first_prompt(benchmark.study, home, waiting)
    assert re.fullmatch(r"waits for the answer to the first prompt, 0\.\d s so far", told[0])
    with Waiting(told.append, "nothing") as waiting:
        waiting.start("m", "answers", 20)(3)
        assert waiting._line().startswith("m: 3 of 20 answers")


def test_of_a_study_that_hides_its_texts_none_is_quoted(asked):
    benchmark, _, ask = asked
    found, _ = ask("The office is in town.")
    config = json.loads(benchmark.study.config_json) | {"report": {"hide_texts": True}}
    hidden = benchmark.study.model_copy(update={"config_json": json.dumps(config)})
    lines = [*told_first_answers(found, hidden)]
    assert "0 of 20 (0 %) scored" in lines[0]
    assert not any("office" in line for line in lines)

"""An application with its own JSON, asked and read as options say, on loopback."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from python_assets.errors import ProviderError
from python_assets.providers.addresses import FAILURES_IN_A_ROW
from python_assets.providers.application import Application
from python_assets.providers.log import read_log
from python_assets.providers.messages import build_messages
from python_assets.providers.provider import config_problems
from python_assets.providers.records import Prompt, Request, SystemConfig, SystemRun
from tests.heard import Heard
from tests.python_assets.providers.conftest import Ask, Waits
from tests.python_assets.providers.servers import Reply, Server, serving
from tests.python_assets.providers.servers import Request as Call

TENANT = "acme-tenant-77"
KEY = "hd-very-secret-key"
PATH = f"/chat/?tenant={TENANT}"
REQUEST: dict[str, Any] = {"session": {"new": True, "topic": None}, "input": "{prompt}", "history": "{messages}"}
OPTIONS: dict[str, Any] = {
    "request": REQUEST,
    "answer": "data.replies.0.text",
    "usage": {"in": "meta.tokens.prompt", "out": "meta.tokens.completion"},
    "finish": "data.reason",
}
EARLIER: tuple[Any, ...] = ({"role": "user", "content": "I am 40."}, {"role": "assistant", "content": "What can I do?"})


def replied(text: Any, **data: Any) -> Reply:
    tokens = {"prompt": 9, "completion": 12}
    return Reply({"data": {"replies": [{"text": text}], "reason": "done", **data}, "meta": {"tokens": tokens}})


def chat(server: Server, call: Call) -> Reply:
    return replied(f"A reply to: {call.body['input']}")


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(Server(PATH, chat)) as server:
        yield server


@pytest.fixture
def ask_app(server: Server, ask: Ask) -> Ask:
    def run(prompts: int | list[Prompt] = 1, **config: Any) -> SystemRun:
        settings = {"provider": "http", "model": "", "base_url": server.url + PATH, "options": OPTIONS}
        return ask(server, prompts, **{**settings, **config})

    return run


def after(*messages: Any) -> Prompt:
    return Prompt("p", "p", "Should I apply?", task="question", messages=messages)


def body(request: Any, prompt: Prompt | None = None, replicate: int = 0, **config: Any) -> Any:
    """What is posted for a prompt."""
    made = SystemConfig("g", "http", options={"request": request, "answer": "text"}, **config)
    prompt = prompt or after()
    return Application(made).payload(Request("id", "{}", prompt, replicate, build_messages(prompt, made)))


class TestAnAnswer:
    def test_is_found_where_the_study_says(self, server: Server, ask_app: Ask) -> None:
        row = ask_app().responses[0]
        assert (row.response_text, row.status, row.flags) == ("A reply to: Sentence number 0 begins", "ok", ())
        assert (row.n_tokens_in, row.n_tokens_out) == (9, 12)
        assert server.calls[0].path == PATH
        session = {"new": True, "topic": None}
        assert server.calls[0].body == {"session": session, "input": "Sentence number 0 begins", "history": []}

    @pytest.mark.parametrize("value", [None, "", "  "])
    def test_that_is_null_or_blank_is_empty(self, server: Server, ask_app: Ask, value: str | None) -> None:
        server.next_replies = [replied(value)]
        row = ask_app().responses[0]
        assert (row.response_text, row.status, row.flags) == (value, "ok", ("is_empty",))

    @pytest.mark.parametrize(("value", "text"), [(3, "3"), (2.5, "2.5"), (True, "true"), (0, "0"), (False, "false")])
    def test_that_is_a_number_or_boolean_is_text(self, server: Server, ask_app: Ask, value: Any, text: str) -> None:
        server.next_replies = [replied(value)]
        assert ask_app().responses[0].response_text == text

    @pytest.mark.parametrize(
        "reply",
        [
            replied({"de": "Ja", "en": "hush"}),
            replied(["hush"]),
            Reply({"data": {"replies": []}}),
            Reply({"data": {"error": "hush"}}),
            Reply({"data": None}),
            Reply([{"data": 1}]),
            Reply({}),
        ],
    )
    def test_that_is_not_there_is_an_error_with_what_is(
        self, server: Server, ask_app: Ask, reply: Reply, snapshot
    ) -> None:
        server.next_replies = [reply]
        row = ask_app(max_retries=0).responses[0]
        assert (row.status, row.response_text, row.outcome) == ("error", None, None)
        assert row.error == snapshot

    def test_that_was_declined_or_cut_says_so_by_its_reason(self, server: Server, ask_app: Ask) -> None:
        server.next_replies = [replied("Not here.", reason="content_filter"), replied("and", reason="length")]
        rows = ask_app(2, concurrency=1).responses
        assert [row.flags for row in rows] == [("is_refused",), ("is_truncated",)]

    def test_is_kept_where_what_stands_beside_it_is_not(self, server: Server, ask_app: Ask) -> None:
        server.next_replies = [Reply({"data": {"replies": [{"text": "Yes."}], "reason": 7}, "meta": []})]
        row = ask_app().responses[0]
        assert (row.response_text, row.n_tokens_in, row.n_tokens_out) == ("Yes.", None, None)

    def test_of_a_page_in_its_place_stops_the_system(self, server: Server, ask_app: Ask, refused) -> None:
        server.next_replies = [Reply(b"<html>log in</html>")] * 3
        with refused(ProviderError, "system 'asked'"):
            ask_app(5)
        assert len(server.calls) == 3

    def test_that_is_nowhere_stops_the_system_with_the_option_to_correct(self, ask_app: Ask, refused) -> None:
        with refused(ProviderError, "system 'asked'"):
            ask_app(FAILURES_IN_A_ROW, max_retries=0, options={**OPTIONS, "answer": "reply"})


class TestARequest:
    def test_has_the_conversation_before_the_prompt_and_each_message_once(self) -> None:
        system = {"role": "system", "content": "Be brief."}
        prompt, role, user = (
            after(*EARLIER),
            {"system_prompt": "Be brief."},
            {"role": "user", "content": "Should I apply?"},
        )
        both = {"input": "{prompt}", "history": "{messages}"}
        assert body(both, prompt) == {"input": "Should I apply?", "history": [*EARLIER]}
        assert body(both, prompt, **role)["history"] == [system, *EARLIER]
        apart = {**both, "role": "{system_prompt}"}
        assert body(apart, prompt, **role) == {"input": "Should I apply?", "history": [*EARLIER], "role": "Be brief."}
        assert body({"all": "{messages}"}, prompt, **role) == {"all": [system, *EARLIER, user]}

    def test_leaves_out_the_key_of_what_there_is_none_of(self) -> None:
        request = {
            "q": "{prompt}",
            "role": "{system_prompt}",
            "t": "{temperature}",
            "list": ["{seed}", None, "{model}"],
        }
        assert body(request) == {"q": "Should I apply?", "list": [None]}

    def test_has_decoding_where_it_names_it_and_the_seed_of_the_replicate(self) -> None:
        request = {"q": "{prompt}", "with": {"t": "{temperature}", "s": "{seed}", "n": "{max_tokens}", "p": "{top_p}"}}
        decoding = {"temperature": 0.0, "seed": 42, "max_tokens": 256, "top_p": 0.5}
        sent = body(request, replicate=2, decoding=decoding)
        assert sent["with"] == {"t": 0.0, "s": 44, "n": 256, "p": 0.5}

    def test_is_literal_but_for_slots(self) -> None:
        literal = {"a": "{seed} of {0} ${HOME} {{x}}", "b": "{unknown}", "{system_prompt}": 1, "c": [None, True, 1.5]}
        request = {**literal, "q": "Customer: {prompt} (end)"}
        prompt = Prompt("p", "p", "{messages} {seed} {prompt}", task="question")
        sent = body(request, prompt, decoding={"seed": 1})
        assert sent == {**literal, "q": "Customer: {messages} {seed} {prompt} (end)"}

    def test_is_not_changed_by_what_is_asked(self, ask_app: Ask) -> None:
        before = json.dumps(OPTIONS)
        ask_app([after(*EARLIER)])
        assert json.dumps(OPTIONS) == before

    def test_that_has_no_place_for_earlier_messages_is_told_before_anything_is_asked(
        self, server: Server, ask_app: Ask, refused
    ) -> None:
        options = {**OPTIONS, "request": {"input": "{prompt}"}}
        with refused(ProviderError, "system 'asked'"):
            ask_app([after(*EARLIER)], options=options)
        assert not server.calls
        assert ask_app([after()], options=options).n_by_status["ok"] == 1


class TestWhatIsNotSent:
    def test_is_told_once_and_stands_beside_every_answer(self, ask_app: Ask, snapshot) -> None:
        heard, decoding = Heard(), {"temperature": 0.5, "seed": 42, "max_tokens": 256}
        options = {**OPTIONS, "request": {**REQUEST, "temperature": 1, "s": "{seed}"}}
        run = ask_app(4, progress=heard, decoding=decoding, options=options, model="helpdesk 3")
        told = [line for line in heard.said if "not sent" in line]
        assert told == snapshot
        for row in run.responses:
            changed = json.loads(row.context_json or "")["changed_parameters"]
            assert changed == {"temperature": None, "max_tokens": None, "model": None}

    def test_leaves_the_literal_of_its_name(self, server: Server, ask_app: Ask) -> None:
        ask_app(decoding={"temperature": 0.5}, options={**OPTIONS, "request": {**REQUEST, "temperature": 1}})
        assert server.calls[0].body["temperature"] == 1

    def test_is_nothing_where_all_is_named_or_null(self, server: Server, ask_app: Ask) -> None:
        options = {**OPTIONS, "request": {**REQUEST, "of": "{model}", "n": "{max_tokens}"}}
        row = ask_app(model="m", decoding={"max_tokens": 5, "seed": None}, options=options).responses[0]
        assert row.context_json is None
        assert (server.calls[0].body["of"], server.calls[0].body["n"]) == ("m", 5)


class TestAsking:
    def test_goes_on_from_the_log(self, server: Server, ask_app: Ask) -> None:
        ask_app(2)
        run = ask_app(3)
        assert (run.n_from_log, run.n_requested, len(server.calls)) == (2, 1, 3)

    @pytest.mark.parametrize(
        "changed",
        [
            {"options": {**OPTIONS, "request": {**REQUEST, "session": {"new": False}}}},
            {"options": {**OPTIONS, "answer": "data.reason"}},
            {"wave": "2026-11"},
            {"model": "another"},
        ],
    )
    def test_is_anew_where_request_answer_wave_or_model_are_others(
        self, server: Server, ask_app: Ask, changed: dict[str, Any]
    ) -> None:
        ask_app()
        run = ask_app(**changed)
        assert (run.n_from_log, len(server.calls)) == (0, 2)

    def test_is_anew_at_another_address_unless_a_model_is_named(self, server: Server, ask_app: Ask) -> None:
        for model, n_known in (("", 0), ("helpdesk 3", 1)):
            ask_app(model=model)
            server.system_path = f"/staging?tenant={TENANT}"
            assert ask_app(model=model, base_url=server.url + server.system_path).n_from_log == n_known
            server.system_path = PATH

    def test_gives_each_replicate_its_own_answer(self, server: Server, ask_app: Ask) -> None:
        options = {**OPTIONS, "request": {**REQUEST, "s": "{seed}"}}
        run = ask_app(replicates=3, decoding={"seed": 7}, options=options)
        assert sorted(call.body["s"] for call in server.calls) == [7, 8, 9]
        assert len({row.response_id for row in run.responses}) == 3

    def test_waits_as_long_as_it_is_asked_to(self, server: Server, ask_app: Ask, waits: Waits) -> None:
        server.next_replies = [Reply({"message": "slow down"}, 429, {"retry-after": "7"}), Reply({}, 503)]
        run = ask_app()
        assert (run.n_by_status["ok"], run.n_retries) == (1, 2)
        assert 7.0 in waits.seconds

    @pytest.mark.parametrize("status", [401, 404])
    def test_stops_at_once_where_no_call_can_succeed(self, server: Server, ask_app: Ask, status: int, refused) -> None:
        server.next_replies = [Reply({"detail": "no"}, status)]
        with refused(ProviderError, "system 'asked'"):
            ask_app(30)
        assert len(server.calls) == 1


def test_secrets_of_headers_and_address_are_sent_and_stored_nowhere(
    server: Server, ask_app: Ask, log_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    said = f"You are {TENANT} with {KEY}."
    server.next_replies = [replied(said, reason=KEY), Reply({KEY: 1, TENANT: 2}), Reply({"error": said}, 500)]
    heard = Heard()
    run = ask_app(3, headers={"Authorization": f"Bearer {KEY}"}, max_retries=0, concurrency=1, progress=heard)
    assert server.calls[0].headers["authorization"] == f"Bearer {KEY}"
    assert run.responses[0].response_text == "You are *** with ***."
    assert run.responses[1].error is not None and "has the keys '***', '***'" in run.responses[1].error
    shown = log_path.read_text() + repr(run) + repr(heard.said) + caplog.text
    assert "HTTP Request: POST" in shown
    assert KEY not in shown and TENANT not in shown
    assert len(read_log(log_path).outcomes) == 3


@pytest.mark.parametrize(
    ("fields", "problems"),
    [
        ({"base_url": None}, ["base_url"]),
        ({"base_url": "app.example.org/chat"}, ["base_url"]),
        ({"options": {}}, ["options.request", "options.answer"]),
        ({"options": {**OPTIONS, "request": "{prompt}"}}, ["options.request"]),
        ({"options": {**OPTIONS, "request": {"q": "prompt", "role": "{system_prompt}"}}}, ["options.request"]),
        ({"options": {**OPTIONS, "request": {"q": "{prompt}", "role": "{system}"}}}, ["options.request"]),
        ({"options": {**OPTIONS, "request": {"{prompt}": 1}}}, ["options.request"]),
        ({"options": {**OPTIONS, "request": {"q": "{prompt} or {prompt}"}}}, ["options.request"]),
        ({"options": {**OPTIONS, "request": {"q": ["{messages}", "{messages}"]}}}, ["options.request"]),
        ({"options": {**OPTIONS, "request": {"q": "{prompt}", "t": float("inf")}}}, ["options.request"]),
        ({"options": {**OPTIONS, "answer": 0}}, ["options.answer"]),
        ({"options": {**OPTIONS, "answer": "data..text"}}, ["options.answer"]),
        ({"options": {**OPTIONS, "finish": ["data"]}}, ["options.finish"]),
        ({"options": {**OPTIONS, "usage": {"in": "a", "total": "b"}}}, ["options.usage"]),
        ({"options": {**OPTIONS, "usage": {"in": 1}}}, ["options.usage.in"]),
        ({"options": {**OPTIONS, "anwser": "text"}}, ["options.anwser"]),
    ],
)
def test_what_cannot_be_asked_is_told_before(told: Any, fields: dict[str, Any], problems: list[str]) -> None:
    right = {"system_id": "g", "provider": "http", "base_url": "https://app.example.org/chat", "options": OPTIONS}
    assert config_problems(SystemConfig(**right), {}) == []
    assert told(config_problems(SystemConfig(**{**right, **fields}), {})) == problems

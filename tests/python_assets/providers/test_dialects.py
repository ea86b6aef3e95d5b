"""Dialects of OpenAI's protocol, each against a server that refuses what the service refuses."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from python_assets.errors import ProviderError
from python_assets.providers.provider import config_problems
from python_assets.providers.records import Prompt, SystemConfig, SystemRun
from tests.heard import Heard
from tests.python_assets.providers import dialect_servers
from tests.python_assets.providers.conftest import Ask
from tests.python_assets.providers.dialect_servers import AZURE_PATH, AZURE_VERSION, DEPLOYMENT, KEY
from tests.python_assets.providers.servers import MODEL, Reply, Request, Server, openai_completion, serving

DECODING = {"temperature": 0.0, "seed": 42, "max_tokens": 256}
Serve = Callable[..., Server]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start a server that answers as a dialect does: serve(dialect, path)."""
    with ExitStack() as stack:

        def start(dialect: Callable[[Server, Request], Reply], path: str = "/v1/chat/completions") -> Server:
            return stack.enter_context(serving(Server(path, dialect)))

        yield start


@pytest.fixture
def ask_azure(serve: Serve, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> Callable[..., SystemRun]:
    server = serve(dialect_servers.azure, AZURE_PATH)

    def run(
        n: int = 1, key: str = KEY, deployment: str = DEPLOYMENT, query: str = f"?api-version={AZURE_VERSION}"
    ) -> SystemRun:
        url = f"{server.url}/openai/deployments/{deployment}{query}"
        return ask(server, n, base_url=url, headers={"api-key": key}, decoding=DECODING)

    return run


def sent(server: Server) -> list[dict[str, Any]]:
    return [{k: v for k, v in call.body.items() if k != "messages"} for call in server.calls]


class TestANewerModel:
    def test_is_asked_by_the_parameters_it_takes_once_it_has_said_so(self, serve: Serve, ask: Ask) -> None:
        server = serve(dialect_servers.newer_openai)
        run = ask(server, 8, decoding=DECODING)
        assert run.n_by_status["ok"] == 8
        assert (len(server.calls), run.n_retries) == (8 + 2, 0)
        fixed = {"model": MODEL, "stream": False}
        assert sent(server)[2:] == [{**fixed, "seed": 42, "max_completion_tokens": 256}] * 8

    def test_is_told_once_and_stands_beside_every_answer(self, serve: Serve, ask: Ask, snapshot) -> None:
        heard = Heard()
        run = ask(serve(dialect_servers.newer_openai), 8, decoding=DECODING, progress=heard)
        told = [line for line in heard.said if "refuses" in line]
        assert told == snapshot
        for row in run.responses:
            changed = json.loads(row.context_json or "")["changed_parameters"]
            assert changed == {"max_tokens": "max_completion_tokens", "temperature": None}

    def test_that_takes_everything_has_no_note(self, serve: Serve, ask: Ask) -> None:
        decoding = {"temperature": 1.0, "max_tokens": None}
        run = ask(serve(dialect_servers.newer_openai), decoding=decoding)
        assert "changed_parameters" not in json.loads(run.responses[0].context_json or "")

    def test_keeps_what_the_study_itself_asks_for_in_options(self, serve: Serve, ask: Ask) -> None:
        server = serve(dialect_servers.newer_openai)
        decoding = {**DECODING, "temperature": None}
        ask(server, 1, decoding=decoding, options={"max_completion_tokens": 4_000})
        assert sent(server)[-1]["max_completion_tokens"] == 4_000
        assert "max_tokens" not in sent(server)[-1]

    def test_that_refuses_a_field_of_options_stops_the_system(self, serve: Serve, ask: Ask, refused) -> None:
        server = serve(dialect_servers.newer_openai)
        with refused(ProviderError, "system 'asked'"):
            ask(server, 30, decoding={}, options={"temperature": 0.2})
        assert len(server.calls) == 1


def test_a_server_that_refuses_every_parameter_is_not_asked_without_a_bound(serve: Serve, ask: Ask, refused) -> None:
    server = serve(dialect_servers.refuses_every_parameter)
    with refused(ProviderError, "system 'asked'"):
        ask(server, 30, decoding=DECODING)
    assert len(server.calls) <= 4
    run = ask(server, 2, decoding={**DECODING, "max_tokens": None})
    assert run.n_by_status["ok"] == 2
    assert sent(server)[-1] == {"model": MODEL, "stream": False}


def test_a_model_without_system_messages_says_so_at_the_first_call(serve: Serve, ask: Ask, refused) -> None:
    server = serve(dialect_servers.refuses_messages)
    with refused(ProviderError, "system 'asked'"):
        ask(server, 30, system_prompt="You are terse.")
    assert len(server.calls) == 1
    assert ask(server, 2).n_by_status["ok"] == 2


def test_mistral_is_asked_without_the_seed_it_does_not_know(serve: Serve, ask: Ask) -> None:
    server = serve(dialect_servers.mistral)
    assert ask(server, 3, decoding=DECODING).n_by_status["ok"] == 3
    assert len(server.calls) == 3 + 1
    assert sent(server)[-1] == {"model": MODEL, "stream": False, "temperature": 0.0, "max_tokens": 256}


def test_a_model_behind_litellm_is_asked_without_the_seed_it_does_not_take(serve: Serve, ask: Ask) -> None:
    server = serve(dialect_servers.litellm)
    run = ask(server, 3, decoding=DECODING)
    assert (run.n_by_status["ok"], len(server.calls)) == (3, 3 + 1)
    assert json.loads(run.responses[0].context_json or "")["changed_parameters"] == {"seed": None}


def test_the_seed_of_mistrals_own_name_moves_with_the_replicate(serve: Serve, ask: Ask) -> None:
    server = serve(dialect_servers.mistral)
    run = ask(server, 1, replicates=3, decoding={**DECODING, "seed": None}, options={"random_seed": 5})
    assert run.n_by_status["ok"] == 3
    assert sorted(body["random_seed"] for body in sent(server)) == [5, 6, 7]


def test_gemini_is_asked_without_the_seed_it_does_not_know(serve: Serve, ask: Ask) -> None:
    server = serve(dialect_servers.gemini)
    assert ask(server, 3, decoding=DECODING).n_by_status["ok"] == 3
    assert sent(server)[-1] == {"model": MODEL, "stream": False, "temperature": 0.0, "max_tokens": 256}


def test_a_prompt_that_xai_flags_is_refused_and_the_rest_is_asked(serve: Serve, ask: Ask) -> None:
    run = ask(serve(dialect_servers.xai), 4, decoding=DECODING)
    assert [row.flags for row in run.responses] == [(), ("is_refused", "is_empty"), (), ()]
    assert "SAFETY_CHECK_TYPE_BIO" in json.loads(run.responses[1].context_json or "")["content_filter"]


@pytest.mark.parametrize(
    "blocked", [dialect_servers.qwen_inspection, dialect_servers.deepseek_risk, dialect_servers.moonshot_risk]
)
def test_a_prompt_that_a_service_inspects_is_refused_in_its_words(
    openai_server: Server, ask: Ask, blocked: Callable[[], Reply]
) -> None:
    openai_server.next_replies = [blocked()]
    run = ask(openai_server, 2)
    assert [row.flags for row in run.responses] == [("is_refused", "is_empty"), ()]
    assert (run.n_retries, run.n_by_status["error"]) == (0, 0)
    words = blocked().body["error"]["message"]
    assert words in json.loads(run.responses[0].context_json or "")["content_filter"]


@pytest.mark.parametrize(
    "ended", ["guardrail_intervened", "content_filtered", "content_filter: PROHIBITED_CONTENT", "SAFETY"]
)
def test_an_answer_that_a_filter_ended_is_refused_whatever_its_text(
    openai_server: Server, ask: Ask, ended: str
) -> None:
    openai_server.next_replies = [openai_completion("Ask me something else.", ended)]
    row = ask(openai_server).responses[0]
    assert (row.flags, row.response_text, row.is_declined) == (("is_refused",), "Ask me something else.", True)


def test_what_bedrocks_guardrail_writes_is_told_from_an_answer(openai_server: Server, ask: Ask) -> None:
    for action, flags in (("INTERVENED", ("is_refused",)), ("NONE", ())):
        openai_server.next_replies = [dialect_servers.bedrock_guardrail(action)]
        assert ask(openai_server, wave=action).responses[0].flags == flags


def test_a_choice_that_gemini_filters_has_no_message(openai_server: Server, ask: Ask) -> None:
    openai_server.next_replies = [dialect_servers.gemini_filtered()]
    run = ask(openai_server)
    assert (run.responses[0].flags, run.n_retries) == (("is_refused", "is_empty"), 0)


def test_thinking_parts_of_mistral_are_reasoning(openai_server: Server, ask: Ask) -> None:
    openai_server.next_replies = [
        dialect_servers.mistral_thinking([{"type": "text", "text": "Hm, "}, {"type": "text", "text": "so."}], "Fine."),
        dialect_servers.mistral_thinking("Hm.", "Fine."),
        dialect_servers.mistral_thinking([{"type": "text", "text": "Still at it"}], None),
    ]
    run = ask(openai_server, 3, concurrency=1)
    reasoned = [json.loads(row.context_json or "")["reasoning"] for row in run.responses]
    assert [row.response_text for row in run.responses] == ["Fine.", "Fine.", ""]
    assert reasoned == ["Hm, so.", "Hm.", "Still at it"]


class TestAReplyOf200:
    def test_whose_error_stands_in_a_list_keeps_its_words(self, openai_server: Server, ask: Ask) -> None:
        error = {"code": 400, "message": "Request contains an invalid argument.", "status": "INVALID_ARGUMENT"}
        openai_server.next_replies = [Reply([{"error": error}])]
        row = ask(openai_server, max_retries=0).responses[0]
        assert row.error == f"http_4xx: HTTP 400 {error['message']}"

    def test_of_a_model_that_was_only_loaded_is_asked_again(self, openai_server: Server, ask: Ask) -> None:
        openai_server.next_replies = [openai_completion("", "load")]
        run = ask(openai_server)
        assert (run.responses[0].flags, run.n_retries) == ((), 1)

    @pytest.mark.parametrize("code", [None, 502])
    def test_that_broke_off_is_asked_again(self, openai_server: Server, ask: Ask, code: int | None) -> None:
        openai_server.next_replies = [dialect_servers.broken_off(code)]
        run = ask(openai_server)
        assert (run.responses[0].response_text, run.n_retries) == ("A reply to: Sentence number 0 begins", 1)
        openai_server.next_replies = [dialect_servers.broken_off(code)]
        run = ask(openai_server, wave="2", max_retries=0)
        assert (run.responses[0].error or "").startswith("http_5xx: HTTP ")

    def test_whose_error_has_a_status_is_that_failure(self, openai_server: Server, ask: Ask, refused) -> None:
        openai_server.next_replies = [Reply({"error": {"code": 402, "message": "Insufficient credits"}})]
        with refused(ProviderError, "system 'asked'"):
            ask(openai_server, 5)

    def test_of_lm_studio_for_a_wrong_address_is_told_at_once(self, openai_server: Server, ask: Ask, refused) -> None:
        """Source: https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/618."""
        said = "Unexpected endpoint or method. (POST /chat/completions)"
        openai_server.next_replies = [Reply({"error": said})]
        with refused(ProviderError, "system 'asked'"):
            ask(openai_server, 5)
        assert len(openai_server.calls) == 1

    @pytest.mark.parametrize(
        ("reply", "flags"),
        [
            (dialect_servers.without_content("content_filter"), ("is_refused", "is_empty")),
            (dialect_servers.without_content("length", reasoning="Well"), ("is_empty", "is_truncated")),
        ],
    )
    def test_without_content_is_an_answer_without_text(
        self, openai_server: Server, ask: Ask, reply: Reply, flags: tuple[str, ...]
    ) -> None:
        openai_server.next_replies = [reply]
        run = ask(openai_server)
        assert (run.responses[0].status, run.responses[0].flags, run.n_retries) == ("ok", flags, 0)


class TestAzure:
    def test_gets_its_key_and_the_version_of_its_api(self, ask_azure: Callable[..., SystemRun], log_path: Path) -> None:
        run = ask_azure(3)
        assert run.n_by_status["ok"] == 3
        assert KEY not in log_path.read_text() + repr(run)

    def test_that_has_no_such_deployment_stops_the_system(self, ask_azure: Callable[..., SystemRun], refused) -> None:
        with refused(ProviderError, "system 'asked'"):
            ask_azure(30, deployment="another")

    def test_without_a_version_stops_the_system(self, ask_azure: Callable[..., SystemRun], refused) -> None:
        with refused(ProviderError, "system 'asked'"):
            ask_azure(30, query="")

    def test_that_refuses_the_key_is_not_quoted(self, ask_azure: Callable[..., SystemRun], refused) -> None:
        with refused(ProviderError, "system 'asked'") as caught:
            ask_azure(30, key="another-key-of-mine")
        assert "another-key" not in str(caught.value)


def test_the_version_of_an_api_is_a_word_of_answers(serve: Serve, ask: Ask) -> None:
    server = serve(lambda *_: openai_completion(f"On {AZURE_VERSION}."), AZURE_PATH)
    run = ask(server, base_url=f"{server.url}/openai/deployments/{DEPLOYMENT}?api-version={AZURE_VERSION}")
    assert run.responses[0].response_text == f"On {AZURE_VERSION}."


class TestHeaders:
    def test_are_sent_and_taken_out_of_what_comes_back(self, openai_server: Server, ask: Ask, log_path: Path) -> None:
        openai_server.next_replies = [openai_completion(f"You sent {KEY}.")]
        run = ask(openai_server, 2, headers={"X-Gateway": f"Bearer {KEY}", "x-project": "project-42-b"})
        headers = {name.lower(): value for name, value in openai_server.calls[1].headers.items()}
        assert (headers["x-gateway"], headers["x-project"]) == (f"Bearer {KEY}", "project-42-b")
        assert run.responses[0].response_text == "You sent ***."
        assert KEY not in log_path.read_text() + repr(run)

    def test_are_taken_out_of_errors(self, openai_server: Server, ask: Ask) -> None:
        openai_server.next_replies = [dialect_servers.refused(f"What is {KEY}?", None, None)]
        run = ask(openai_server, headers={"x-gateway": f"Bearer {KEY}"})
        assert run.responses[0].error == "http_4xx: HTTP 400 What is ***?"

    @pytest.mark.parametrize("value", [" ", "clé-secrète", "with\x07bell"])
    def test_that_cannot_be_sent_are_refused_without_quoting_them(
        self, openai_server: Server, ask: Ask, value: str, refused
    ) -> None:
        with refused(ProviderError, "system 'asked': headers.x-gateway") as caught:
            ask(openai_server, headers={"x-gateway": value})
        assert value.strip() not in str(caught.value) or not value.strip()
        assert not openai_server.calls

    def test_of_one_name_in_two_spellings_are_sent_once(self, openai_server: Server, ask: Ask) -> None:
        ask(openai_server, headers={"User-Agent": "somebody"})
        assert openai_server.calls[0].headers["user-agent"] == "somebody"

    def test_are_shown_nowhere(self) -> None:
        assert KEY not in repr(SystemConfig("g", "openai", "m", headers={"x-gateway": KEY}))


class TestABaseModel:
    @pytest.fixture
    def server(self, serve: Serve) -> Server:
        return serve(dialect_servers.text_completions, "/v1/completions")

    def test_goes_on_with_the_text_itself(self, server: Server, ask: Ask) -> None:
        prompts = [Prompt("p", "p", "The harbour is", task="completion")]
        run = ask(server, prompts, provider="openai", options={"endpoint": "completions"})
        assert run.responses[0].response_text == "The harbour is and so on"
        assert server.calls[0].body["prompt"] == "The harbour is"
        assert "messages" not in server.calls[0].body and "endpoint" not in server.calls[0].body

    def test_is_sent_the_template_of_the_study(self, server: Server, ask: Ask) -> None:
        prompts = [Prompt("p", "p", "The harbour", task="completion")]
        ask(server, prompts, options={"endpoint": "completions"}, prompt_template="Tale: {prompt}")
        assert server.calls[0].body["prompt"] == "Tale: The harbour"

    @pytest.mark.parametrize(("options", "model"), [({}, MODEL), ({"endpoint": "completions"}, "gpt-3.5-turbo")])
    def test_asked_at_the_wrong_endpoint_is_told_with_the_other(
        self, server: Server, ask: Ask, options: dict[str, str], model: str, refused
    ) -> None:
        with refused(ProviderError, "system 'asked'"):
            ask(server, 30, options=options, model=model)
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"options": {"n": 2}}, "options.n"),
        ({"options": {"stream": True}}, "options.stream"),
        ({"options": {"messages": []}}, "options.messages"),
        ({"api_key_env": "KEY", "headers": {"Authorization": "Bearer x"}}, "headers.Authorization"),
        ({"api_key_env": "KEY", "base_url": "https://user:word@h/v1"}, "api_key_env"),
        ({"options": {"endpoint": "completions", "echo": True}}, "options.echo"),
        ({"options": {"seed": "42"}}, "options.seed"),
        ({"options": {"metadata": {"day": date(2026, 11, 1)}}}, "options.metadata"),
        ({"options": {"min_p": float("inf")}}, "options.min_p"),
    ],
)
def test_what_openai_cannot_be_sent_is_told_before_anything_is(told: Any, fields: dict[str, Any], field: str) -> None:
    assert told(config_problems(SystemConfig("g", "openai", "m", **fields), {})) == [field]


def test_one_answer_a_call_may_be_asked_for() -> None:
    assert config_problems(SystemConfig("g", "openai", "m", options={"n": 1}), {}) == []


@pytest.mark.parametrize("provider", ["simulator", "replay", "transformers"])
def test_who_asks_no_server_sends_no_headers(told: Any, provider: str) -> None:
    config = SystemConfig("g", provider, "m", headers={"x-gateway": KEY})
    assert "headers" in told(config_problems(config, {}))

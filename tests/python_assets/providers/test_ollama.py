import json

import pytest

from python_assets.errors import ProviderError
from python_assets.providers.records import Prompt
from tests.python_assets.providers.conftest import Ask, Waits
from tests.python_assets.providers.servers import DIGEST, Reply, Server, ollama_chat


def test_a_chat_becomes_a_row_and_the_model_is_described(ollama_server: Server, ask: Ask) -> None:
    run = ask(ollama_server, 2)
    row = run.responses[1]
    assert (row.response_text, row.status) == ("A reply to: Sentence number 1 begins", "ok")
    assert (row.n_tokens_in, row.n_tokens_out, row.context_json) == (26, 12, None)
    assert run.description.model_digest == DIGEST
    assert run.description.engine_version == "ollama 0.12.6"
    assert run.description.model_details["quantization_level"] == "Q4_0"


def test_decoding_gets_ollamas_names_and_the_seed_moves_with_the_replicate(ollama_server: Server, ask: Ask) -> None:
    ask(
        ollama_server,
        [Prompt("p", "p", "The harbour")],
        system_prompt="You are terse.",
        decoding={"temperature": 0.7, "seed": 42, "max_tokens": 64, "top_p": None},
        options={"num_ctx": 4096, "min_p": 0.05, "keep_alive": "5m", "think": False},
        replicates=2,
        concurrency=1,
    )
    first, second = (call.body for call in ollama_server.calls)
    assert first["options"] == {"temperature": 0.7, "seed": 42, "num_predict": 64, "num_ctx": 4096, "min_p": 0.05}
    assert (first["stream"], first["keep_alive"], first["think"]) == (False, "5m", False)
    assert [message["role"] for message in first["messages"]] == ["system", "user"]
    assert second["options"]["seed"] == 43


def test_a_missing_model_names_the_command_that_installs_it(ollama_server: Server, ask: Ask, refused) -> None:
    with refused(ProviderError, "system 'asked'"):
        ask(ollama_server, 5, model="gemma2:9b")
    assert not ollama_server.calls


def test_a_model_removed_after_it_was_described_stops_at_the_first_call(
    ollama_server: Server, ask: Ask, refused
) -> None:
    missing = Reply({"error": 'model "llama3.1:8b" not found, try pulling it first'}, status=404)
    ollama_server.next_replies = [missing]
    with refused(ProviderError, "system 'asked'"):
        ask(ollama_server, 5)
    assert len(ollama_server.calls) == 1


def test_no_server_names_the_command_that_starts_it(ollama_server: Server, ask: Ask, waits: Waits, refused) -> None:
    with refused(ProviderError, "system 'asked'"):
        ask(ollama_server, base_url="http://127.0.0.1:9")
    assert len(waits.seconds) == 2


def test_failures_are_typed_and_retried(ollama_server: Server, ask: Ask, waits: Waits) -> None:
    ollama_server.next_replies = [
        Reply({"error": "server busy"}, status=503, headers={"retry-after": "0"}),
        Reply({"error": "too many"}, status=429, headers={"retry-after": "0.01"}),
        Reply(b'{"model": "llama'),
        Reply({"message": "no object"}),
        Reply([]),
        Reply(status=0),
    ]
    run = ask(ollama_server, max_retries=6)
    assert (run.responses[0].status, run.n_retries) == ("ok", 6)
    assert waits.seconds == pytest.approx([1.0, 0.01, 4.0, 8.0, 16.0, 32.0])


@pytest.mark.parametrize("error", [b'"text"', b"[1]", b"null", b"<html>", b"", b'{"error": null}', b"\xff"])
def test_an_error_of_any_shape_is_a_server_error(ollama_server: Server, ask: Ask, error: bytes) -> None:
    ollama_server.next_replies = [Reply(error, status=500)]
    row = ask(ollama_server, max_retries=0).responses[0]
    assert (row.error or "").startswith("http_5xx: HTTP 500")


def test_a_time_out_is_recorded(ollama_server: Server, ask: Ask) -> None:
    ollama_server.next_replies = [Reply(waits_for=ollama_server.stopped)]
    run = ask(ollama_server, timeout_seconds=0.2, max_retries=0)
    assert run.responses[0].error == "timeout: no answer within 0.2 s"


@pytest.mark.parametrize(
    ("reply", "flags", "text"),
    [
        (ollama_chat(""), ("is_empty",), ""),
        (ollama_chat(None), ("is_empty",), None),
        (ollama_chat("and then", done_reason="length"), ("is_truncated",), "and then"),
        (ollama_chat("I cannot assist with this request."), ("is_refused",), "I cannot assist with this request."),
        (ollama_chat("👩‍👩‍👧 שלום مرحبا 🇸🇬"), (), "👩‍👩‍👧 שלום مرحبا 🇸🇬"),
        (ollama_chat("x" * 10_000_000), ("is_truncated",), "x" * 20_000),
    ],
    ids=["blank", "null", "length", "refusal", "emoji and right to left", "10 MB"],
)
def test_every_kind_of_reply_gets_its_flags(
    ollama_server: Server, ask: Ask, reply: Reply, flags: tuple[str, ...], text: str | None
) -> None:
    ollama_server.next_replies = [reply]
    row = ask(ollama_server).responses[0]
    assert (row.status, row.flags, row.response_text) == ("ok", flags, text)


def test_a_model_that_was_only_loaded_is_asked_again(ollama_server: Server, ask: Ask, snapshot) -> None:
    """Source: https://github.com/ollama/ollama/blob/main/docs/api.md#load-a-model."""
    ollama_server.next_replies = [ollama_chat("", done_reason="load"), ollama_chat("", done_reason="unload")]
    run = ask(ollama_server)
    assert (run.responses[0].status, run.responses[0].flags, run.n_retries) == ("ok", (), 2)
    ollama_server.next_replies = [ollama_chat("", done_reason="load")]
    row = ask(ollama_server, wave="2", max_retries=0).responses[0]
    assert row.error == snapshot


def test_thinking_is_kept_apart_from_the_answer(ollama_server: Server, ask: Ask) -> None:
    reply = ollama_chat("Yes")
    reply.body["message"]["thinking"] = "Let me think"
    ollama_server.next_replies = [reply]
    row = ask(ollama_server).responses[0]
    assert (row.response_text, json.loads(row.context_json or "")) == ("Yes", {"reasoning": "Let me think"})


def test_a_complete_log_needs_no_server(ollama_server: Server, ask: Ask, refused) -> None:
    first = ask(ollama_server, 3)
    again = ask(ollama_server, 3, base_url="http://127.0.0.1:9")
    assert again.responses == first.responses
    assert again.description == first.description
    with refused(ProviderError, "system 'asked'"):
        ask(ollama_server, 4, base_url="http://127.0.0.1:9")


def test_another_digest_under_the_same_name_is_asked_anew(
    ollama_server: Server, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ask(ollama_server, 2)
    monkeypatch.setattr("tests.python_assets.providers.servers.DIGEST", "0" * 64)
    after = ask(ollama_server, 2)
    assert after.n_requested == 2
    assert after.description.model_digest == "0" * 64
    assert not {r.response_id for r in before.responses} & {r.response_id for r in after.responses}


def test_the_key_of_another_service_is_not_sent(
    ollama_server: Server, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_API_KEY", "secret-of-the-cloud")
    ask(ollama_server)
    assert all("authorization" not in {n.lower() for n in request.headers} for request in ollama_server.requests)


def test_the_key_the_study_names_is_sent(ollama_server: Server, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", "secret")
    ask(ollama_server, api_key_env="TEST_KEY")
    sent = [{n.lower(): v for n, v in request.headers.items()} for request in ollama_server.requests]
    assert {headers["authorization"] for headers in sent} == {"Bearer secret"}


def test_a_lone_surrogate_is_sent_as_it_is(ollama_server: Server, ask: Ask) -> None:
    assert ask(ollama_server, [Prompt("lone", "lone", "a lone \ud83d surrogate")]).responses[0].status == "ok"
    assert "a lone \ud83d surrogate" in ollama_server.calls[0].body["messages"][-1]["content"]


def test_the_probabilities_of_the_first_token_are_asked_for_and_kept(ollama_server: Server, ask: Ask) -> None:
    """Source of the forms: https://github.com/ollama/ollama-python/pull/601."""
    top = [{"token": "A", "logprob": -0.1}, {"token": "B", "logprob": -2.5}]
    reply = ollama_chat("A", logprobs=[{"token": "A", "logprob": -0.1, "top_logprobs": top}])
    ollama_server.next_replies = [reply]
    run = ask(ollama_server, options={"logprobs": True, "top_logprobs": 2, "num_ctx": 512})
    body = ollama_server.calls[0].body
    assert (body["logprobs"], body["top_logprobs"], body["options"]) == (True, 2, {"num_ctx": 512})
    kept = json.loads(run.responses[0].context_json or "")
    assert kept == {"first_token_logprobs": {"A": -0.1, "B": -2.5}}

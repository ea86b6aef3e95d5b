import gzip
import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from python_assets.errors import ProviderError
from python_assets.providers.addresses import FAILURES_IN_A_ROW
from python_assets.providers.records import Conversation, Extension, Message, Prompt, Request
from python_assets.providers.transport import LARGEST_BODY_BYTES
from tests.heard import Heard
from tests.python_assets.providers.conftest import Ask, Waits
from tests.python_assets.providers.servers import (
    Reply,
    Server,
    azure_content_filter,
    openai_completion,
    openai_error,
    openrouter_moderation,
)


def test_a_completion_becomes_a_row(openai_server: Server, ask: Ask) -> None:
    run = ask(openai_server, 2)
    row = run.responses[1]
    assert (row.prompt_id, row.replicate, row.status) == ("p1", 0, "ok")
    assert row.response_text == "A reply to: Sentence number 1 begins"
    assert (row.n_tokens_in, row.n_tokens_out) == (9, 12)
    assert json.loads(row.context_json or "") == {
        "served_model": "gpt-4o-mini-2024-07-18",
        "system_fingerprint": "fp_1",
    }
    assert row.requested_at is not None and row.requested_at.endswith("+00:00")
    assert row.latency_seconds is not None and row.latency_seconds > 0
    assert (run.n_requested, run.n_from_log, run.is_simulated) == (2, 0, False)


def test_role_decoding_and_options_are_sent_and_none_is_left_out(openai_server: Server, ask: Ask) -> None:
    ask(
        openai_server,
        [Prompt("p", "p", "The harbour", task="completion")],
        system_prompt="You are terse.",
        prompt_template="Go on: {prompt}",
        decoding={"temperature": 0.0, "seed": 42, "max_tokens": None, "top_p": None},
        options={"max_completion_tokens": 64},
        replicates=2,
        concurrency=1,
    )
    first, second = (call.body for call in openai_server.calls)
    assert first["messages"] == [
        {"role": "system", "content": "You are terse."},
        {"role": "user", "content": "Go on: The harbour"},
    ]
    assert (first["temperature"], first["max_completion_tokens"], first["stream"]) == (0.0, 64, False)
    assert "max_tokens" not in first and "top_p" not in first
    assert (first["seed"], second["seed"]) == (42, 43)


def test_retry_after_is_waited_for(openai_server: Server, ask: Ask, waits: Waits) -> None:
    openai_server.next_replies = [
        openai_error(429, "slow down", "rate_limit_exceeded", **{"retry-after": "7.5"}),
        openai_error(429, "slow down", "rate_limit_exceeded"),
    ]
    run = ask(openai_server)
    assert run.responses[0].status == "ok"
    assert waits.seconds == [7.5, 2.0]
    assert (run.n_requested, run.n_retries) == (1, 2)


def test_failed_calls_are_counted_by_status_and_kept_in_the_log(
    openai_server: Server, ask: Ask, log_path: Path
) -> None:
    busy, down = openai_error(429, "slow down", "rate_limit_exceeded"), openai_error(503, "secret words", None)
    refused = openai_error(400, "maximum context length is 8192", "context_length_exceeded")
    answered = openai_completion("Yes.")
    openai_server.next_replies = [busy, busy, Reply(status=0), answered, *[down] * 4, refused, azure_content_filter()]
    run = ask(openai_server, 5, concurrency=1, max_retries=3)
    found = [(row.status, row.n_retries, row.failed_calls_json) for row in run.responses]
    assert found == [
        ("ok", 3, '{"429": 2, "disconnected": 1}'),
        ("error", 3, '{"503": 4}'),
        ("error", 0, '{"400": 1}'),
        ("ok", 0, "{}"),  # a filter that blocks a prompt is an answer
        ("ok", 0, "{}"),
    ]
    assert run.n_retries == 6
    lines = [json.loads(line) for line in log_path.read_text().splitlines()[-5:]]
    assert [(line["n_retries"], line["failed_calls"]) for line in lines[:2]] == [
        (3, {"429": 2, "disconnected": 1}),
        (3, {"503": 4}),
    ]
    again = ask(openai_server, 5)
    assert [row.n_retries for row in again.responses] == [3, 4, 0, 0, 0]  # what failed is asked again, which is a retry
    assert again.responses[0] == run.responses[0]


class Twice(Extension):
    """Asks the same twice."""

    identity: ClassVar = {"type": "twice"}
    most_calls = 2

    def converse(self, request: Request) -> Conversation:
        yield request
        return (yield request)


def test_failed_calls_of_every_turn_of_a_conversation_count(openai_server: Server, ask: Ask) -> None:
    busy, down = openai_error(429, "slow down", "rate_limit_exceeded"), openai_error(503, "down", None)
    openai_server.next_replies = [busy, openai_completion("One."), busy, down, openai_completion("Two.")]
    (row,) = ask(openai_server, extension=Twice()).responses
    assert (row.response_text, row.n_retries, row.failed_calls_json) == ("Two.", 3, '{"429": 2, "503": 1}')


def test_the_version_that_a_service_names_is_of_the_response(openai_server: Server, ask: Ask) -> None:
    (row,) = ask(openai_server).responses
    assert row.served_model == "gpt-4o-mini-2024-07-18"


def test_a_long_wait_is_told_once_by_all_that_wait(openai_server: Server, ask: Ask, waits: Waits, snapshot) -> None:
    busy = openai_error(429, "daily limit", "rate_limit_exceeded", **{"retry-after": "3600"})
    openai_server.next_replies = [openai_completion("first"), *[busy] * 4]
    heard = Heard()
    run = ask(openai_server, 5, concurrency=4, max_retries=4, progress=heard)  # one call may get all four
    # one call waits for all; a reply that comes after the wait asks for another
    assert (run.n_by_status["ok"], set(waits.seconds)) == (5, {600.0})
    told = [line for line in heard.said if "waits" in line]
    assert len(told) == len(waits.seconds)
    assert set(told) == snapshot


def test_a_server_error_that_stays_is_recorded_and_asked_again_by_the_next_run(
    openai_server: Server, ask: Ask, waits: Waits
) -> None:
    openai_server.next_replies = [openai_error(500, "overloaded", None) for _ in range(3)]
    run = ask(openai_server, 2)
    assert run.responses[0].error == "http_5xx: HTTP 500 overloaded"
    assert run.n_by_status == {"ok": 1, "error": 1, "not_recorded": 0}
    assert waits.seconds == [1.0, 2.0]
    again = ask(openai_server, 2)
    assert again.n_by_status["ok"] == 2
    assert (again.n_requested, again.n_from_log) == (1, 1)


def test_a_request_the_server_rejects_is_not_asked_twice(openai_server: Server, ask: Ask) -> None:
    openai_server.next_replies = [openai_error(400, "maximum context length is 8192", "context_length_exceeded")]
    run = ask(openai_server, 2)
    assert run.responses[0].error == "http_4xx: HTTP 400 maximum context length is 8192"
    assert (len(openai_server.calls), run.n_retries) == (2, 0)
    assert ask(openai_server, 2).n_requested == 0


@pytest.mark.parametrize(
    ("blocks", "words"),
    [(azure_content_filter, "content management policy"), (openrouter_moderation, "your input was flagged")],
)
def test_a_prompt_that_a_content_filter_blocks_is_refused(
    openai_server: Server, ask: Ask, blocks: Callable[[], Reply], words: str
) -> None:
    openai_server.next_replies = [blocks()]
    run = ask(openai_server, 2)
    blocked = run.responses[0]
    assert (blocked.status, blocked.flags, blocked.error) == ("ok", ("is_refused", "is_empty"), None)
    assert words in json.loads(blocked.context_json or "")["content_filter"]
    assert blocked.requested_at is not None
    assert (run.n_by_status["ok"], run.n_retries) == (2, 0)
    assert ask(openai_server, 2).n_requested == 0


def test_a_study_whose_every_prompt_is_blocked_goes_on_to_the_last(openai_server: Server, ask: Ask) -> None:
    n_prompts = FAILURES_IN_A_ROW + 5
    openai_server.next_replies = [azure_content_filter() for _ in range(n_prompts)]
    assert ask(openai_server, n_prompts).n_by_flag["is_refused"] == n_prompts


def test_a_time_out_is_an_error_of_its_own_kind(openai_server: Server, ask: Ask) -> None:
    openai_server.next_replies = [Reply(waits_for=openai_server.stopped)]
    run = ask(openai_server, 1, timeout_seconds=0.2, max_retries=0)
    assert run.responses[0].error == "timeout: no answer within 0.2 s"


@pytest.mark.parametrize(
    "body",
    [
        b'{"choices": [{"mess',
        b"",
        b"[]",
        b'"text"',
        b"null",
        b'{"choices": []}',
        b'{"choices": [{"message": "text"}]}',
        b'{"choices": [{"message": {"content": 5}}]}',
        b'{"choices": [{"message": {}}]}',
        b"\xff\xfe\x00",
        b"[" * 100_000,
    ],
    ids=lambda body: repr(body[:20]),
)
def test_a_reply_of_the_wrong_shape_is_malformed(openai_server: Server, ask: Ask, body: bytes) -> None:
    openai_server.next_replies = [Reply(body)]
    run = ask(openai_server, max_retries=0)
    assert (run.responses[0].error or "").startswith("malformed_response: ")
    assert ask(openai_server).n_by_status["ok"] == 1


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b'data: {"id": "chatcmpl-1"}\n\ndata: [DONE]', 'no JSON (JSONDecodeError) but: data: {"id"'),
        (b"", "no JSON (JSONDecodeError) but: nothing"),
    ],
)
def test_what_came_in_place_of_json_is_told(openai_server: Server, ask: Ask, body: bytes, error: str) -> None:
    openai_server.next_replies = [Reply(body)]
    told = ask(openai_server, max_retries=0).responses[0].error or ""
    assert told.startswith(f"malformed_response: {error}")


@pytest.mark.parametrize(("n_answered", "n_calls"), [(0, 3), (1, 7)])
def test_a_web_page_with_status_200_stops_the_system_soon_or_after_retries(
    openai_server: Server, ask: Ask, refused, n_answered: int, n_calls: int
) -> None:
    answers = [openai_completion("Yes")] * n_answered
    openai_server.next_replies = [*answers, *[Reply(b"<!doctype html><title>Sign in</title>")] * 9]
    with refused(ProviderError, "system 'asked'"):
        ask(openai_server, 30, concurrency=1, max_retries=5)
    assert len(openai_server.calls) == n_calls


def test_replies_of_another_dialect_stop_the_system_with_a_remedy(openai_server: Server, ask: Ask, refused) -> None:
    openai_server.next_replies = [Reply({"message": {"content": "Hi"}}) for _ in range(FAILURES_IN_A_ROW)]
    with refused(ProviderError, "system 'asked'"):
        ask(openai_server, 30, max_retries=0, concurrency=1)


def test_a_connection_cut_without_a_reply_is_retried(openai_server: Server, ask: Ask) -> None:
    openai_server.next_replies = [Reply(status=0)]
    run = ask(openai_server)
    assert (run.responses[0].status, run.n_retries) == ("ok", 1)


@pytest.mark.parametrize(
    ("reply", "flags", "text"),
    [
        (openai_completion(""), ("is_empty",), ""),
        (openai_completion(" \n "), ("is_empty",), " \n "),
        (openai_completion(None), ("is_empty",), None),
        (openai_completion("and then", "length"), ("is_truncated",), "and then"),
        (openai_completion("", "length"), ("is_empty", "is_truncated"), ""),
        (openai_completion(None, "content_filter"), ("is_refused", "is_empty"), None),
        (openai_completion(None, refusal="I won't."), ("is_refused",), "I won't."),
        (openai_completion("I cannot assist with that."), ("is_refused",), "I cannot assist with that."),
        (openai_completion([{"type": "text", "text": "in "}, {"type": "text", "text": "parts"}]), (), "in parts"),
        (openai_completion("👩‍👩‍👧 שלום مرحبا 🇸🇬"), (), "👩‍👩‍👧 שלום مرحبا 🇸🇬"),
        (openai_completion("a lone \ud83d surrogate"), (), "a lone \ud83d surrogate"),
        (openai_completion("nul \x00 and tab \t"), (), "nul \x00 and tab \t"),
    ],
)
def test_every_kind_of_reply_keeps_its_text_and_gets_its_flags(
    openai_server: Server, ask: Ask, reply: Reply, flags: tuple[str, ...], text: str | None
) -> None:
    openai_server.next_replies = [reply]
    row = ask(openai_server).responses[0]
    assert (row.status, row.flags, row.response_text) == ("ok", flags, text)
    assert ask(openai_server).responses == [row]
    assert len(openai_server.calls) == 1


def test_a_reply_of_10_mb_is_cut_and_truncated(openai_server: Server, ask: Ask, log_path: Path) -> None:
    openai_server.next_replies = [openai_completion("long " * 2_000_000)]
    row = ask(openai_server, max_characters=1_000).responses[0]
    assert (row.flags, len(row.response_text or "")) == (("is_truncated",), 1_000)
    assert json.loads(row.context_json or "")["n_characters"] == 10_000_000
    assert log_path.stat().st_size < 5_000


def test_raising_max_characters_asks_again_for_what_was_cut_and_lowering_it_does_not(
    openai_server: Server, ask: Ask
) -> None:
    openai_server.next_replies = [openai_completion("x" * 500), openai_completion("x" * 500)]
    assert len(ask(openai_server, max_characters=100).responses[0].response_text or "") == 100
    assert len(ask(openai_server, max_characters=50).responses[0].response_text or "") == 50
    assert len(openai_server.calls) == 1
    row = ask(openai_server, max_characters=1_000).responses[0]
    assert (len(row.response_text or ""), row.flags) == (500, ())


def test_a_reply_too_large_for_memory_is_not_read(openai_server: Server, ask: Ask, snapshot) -> None:
    large = b"[" + b" " * 2 * LARGEST_BODY_BYTES + b"]"
    packed = gzip.compress(large, compresslevel=1)
    assert len(packed) < 1_000_000
    openai_server.next_replies = [
        Reply(b"", headers={"content-length": str(10**12)}),
        Reply(packed, headers={"content-encoding": "gzip"}),
        Reply(packed, status=500, headers={"content-encoding": "gzip"}),
    ]
    assert [row.error for row in ask(openai_server, 3).responses] == snapshot


def test_a_reply_packed_twice_is_not_unpacked(openai_server: Server, ask: Ask, snapshot) -> None:
    packed = gzip.compress(gzip.compress(b" " * 10_000_000))
    openai_server.next_replies = [Reply(packed, headers={"content-encoding": "gzip, gzip"})]
    run = ask(openai_server, max_retries=0)
    assert run.responses[0].error == snapshot


def test_a_packed_reply_is_read(openai_server: Server, ask: Ask) -> None:
    packed = gzip.compress(openai_completion("Yes.").encoded())
    openai_server.next_replies = [Reply(packed, headers={"content-encoding": "gzip"})]
    assert ask(openai_server).responses[0].response_text == "Yes."


def test_reasoning_is_kept_apart_from_the_answer(openai_server: Server, ask: Ask) -> None:
    openai_server.next_replies = [openai_completion("Yes", reasoning_content="Let me think")]
    row = ask(openai_server).responses[0]
    assert (row.response_text, json.loads(row.context_json or "")["reasoning"]) == ("Yes", "Let me think")


def test_a_missing_model_stops_the_system_with_one_call(openai_server: Server, ask: Ask, refused) -> None:
    with refused(ProviderError, "system 'asked'"):
        ask(openai_server, 50, model="gpt-0")
    assert len(openai_server.calls) == 1


def test_a_wrong_path_is_told_from_a_missing_model(openai_server: Server, ask: Ask, refused) -> None:
    with refused(ProviderError, "system 'asked'"):
        ask(openai_server, base_url=openai_server.url)


def test_a_redirect_is_told_with_where_it_leads(openai_server: Server, ask: Ask, refused) -> None:
    openai_server.next_replies = [Reply(b"Moved.", 301, {"location": "https://user:hunter2@host/v2?key=1"})]
    with refused(ProviderError, "system 'asked'") as caught:
        ask(openai_server, 5)
    assert "hunter2" not in str(caught.value)


def test_words_that_end_in_a_stop_end_in_one(openai_server: Server, ask: Ask, refused) -> None:
    openai_server.next_replies = [openai_error(404, "There is no such model.", "model_not_found")]
    with refused(ProviderError, "system 'asked'"):
        ask(openai_server, 5)


def test_nobody_listening_stops_the_system_after_retries(
    openai_server: Server, ask: Ask, waits: Waits, refused
) -> None:
    with refused(ProviderError, "system 'asked'"):
        ask(openai_server, 5, base_url="http://127.0.0.1:9/v1")
    assert len(waits.seconds) == 2


def test_an_empty_quota_is_not_retried(openai_server: Server, ask: Ask, refused) -> None:
    openai_server.next_replies = [openai_error(429, "You exceeded your quota", "insufficient_quota")]
    with refused(ProviderError, "system 'asked'"):
        ask(openai_server, 5)
    assert len(openai_server.calls) == 1


def test_many_failures_in_a_row_stop_the_system_and_the_log_keeps_the_answers(
    openai_server: Server, ask: Ask, refused
) -> None:
    n_requests = FAILURES_IN_A_ROW + 30
    openai_server.next_replies = [openai_completion("first")]
    openai_server.next_replies += [openai_error(400, "bad parameter", None)] * FAILURES_IN_A_ROW
    with refused(ProviderError, "system 'asked'"):
        ask(openai_server, n_requests, concurrency=1)
    assert len(openai_server.calls) == 1 + FAILURES_IN_A_ROW
    again = ask(openai_server, n_requests)
    assert again.n_by_status["error"] == FAILURES_IN_A_ROW
    assert again.n_requested == 29


def test_the_first_call_is_alone_and_concurrency_is_bounded(openai_server: Server, ask: Ask) -> None:
    all_three = threading.Barrier(3, timeout=10)

    class Together(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            all_three.wait()
            return True

    first = openai_completion("first")
    waiting = [openai_completion(f"waiting {i}") for i in range(9)]
    for reply in waiting:
        reply.waits_for = Together()
    openai_server.next_replies = [first, *waiting]
    run = ask(openai_server, 10, concurrency=3)
    assert run.n_by_status["ok"] == 10
    assert openai_server.most_in_flight == 3


def test_two_prompts_with_equal_text_are_asked_once_and_keep_their_rows(openai_server: Server, ask: Ask) -> None:
    prompts = [Prompt(key, key, "The same words", factors={"side": key}) for key in ("left", "right")]
    run = ask(openai_server, prompts)
    assert [row.prompt_id for row in run.responses] == ["left", "right"]
    assert len({row.response_id for row in run.responses}) == 1
    assert (len(openai_server.calls), run.n_requested) == (1, 1)


def test_a_prompt_without_text_is_an_error_before_any_call(openai_server: Server, ask: Ask, refused) -> None:
    with refused(ProviderError, "system 'asked'"):
        ask(openai_server, [Prompt("p", "p", None)])
    assert not openai_server.calls


def test_another_wave_of_a_hosted_model_is_asked_anew_and_the_same_is_not(openai_server: Server, ask: Ask) -> None:
    without = ask(openai_server, 3)
    november = ask(openai_server, 3, wave="2026-11")
    again = ask(openai_server, 3, wave="2026-11")
    assert (without.n_requested, november.n_requested, again.n_requested) == (3, 3, 0)
    assert again.responses == november.responses
    assert not {r.response_id for r in without.responses} & {r.response_id for r in november.responses}
    assert ask(openai_server, 3).n_from_log == 3


def test_a_server_is_sent_the_conversation_in_order_and_answers_its_last_message(
    openai_server: Server, ask: Ask
) -> None:
    said = (Message(role="user", content="Who asks?"), Message(role="assistant", content="A nurse from Italy."))
    prompt = Prompt("p", "p", "May she go?", task="question", messages=said)
    run = ask(openai_server, [prompt, replace(prompt, prompt_id="q", messages=())], system_prompt="Be brief.")
    system, last = {"role": "system", "content": "Be brief."}, {"role": "user", "content": "May she go?"}
    sent = sorted((call.body["messages"] for call in openai_server.calls), key=len)
    assert sent == [[system, last], [system, *said, last]]
    assert [row.response_text for row in run.responses] == ["A reply to: May she go?"] * 2
    assert run.responses[0].response_id != run.responses[1].response_id

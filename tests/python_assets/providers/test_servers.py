"""Generations at one address and at several, on loopback: rates, outages, faults, one dead, side by side."""

import json
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from python_assets.errors import ProviderError
from python_assets.providers.addresses import FAILURES_IN_A_ROW
from python_assets.providers.loop import Logged, generate_all
from python_assets.providers.records import SystemConfig, SystemRun
from python_assets.warehouse.progress import SILENT
from tests.heard import Heard
from tests.python_assets.providers.conftest import Ask, Waits, numbered_prompts
from tests.python_assets.providers.servers import (
    DIGEST,
    MODEL,
    Reply,
    Request,
    Server,
    ollama_answer,
    openai_answer,
    openai_completion,
    openai_error,
    serving,
)

NOBODY = "http://127.0.0.1:9/v1"  # the discard port: nothing listens


@pytest.fixture
def two_servers() -> Iterator[list[Server]]:
    with ExitStack() as stack:
        yield [stack.enter_context(serving(Server("/v1/chat/completions", openai_answer))) for _ in range(2)]


def at(*servers: Server) -> dict[str, Any]:
    urls = tuple(f"{server.url}/v1" for server in servers)
    return {"base_url": urls[0], "base_urls": urls}


class Counting(Server):
    """Turns calls away above an allowance of the last minute and the last 5 seconds, on the clock of who asks."""

    def __init__(self, waits: Waits, a_minute: int) -> None:
        super().__init__("/v1/chat/completions", openai_answer)
        self.waits = waits
        self.allowed = {60.0: a_minute, 5.0: a_minute // 12}
        self.times: deque[float] = deque()
        self.n_turned_away = 0

    def reply_to(self, request: Request) -> Reply:
        now = self.waits.now
        for seconds, most in self.allowed.items():
            if sum(time > now - seconds for time in self.times) >= most:
                self.n_turned_away += 1
                return openai_error(429, "slow down", "rate_limit_exceeded", **{"retry-after": "10"})
        self.times.append(now)
        return super().reply_to(request)


def test_a_declared_rate_is_used_and_never_turned_away(ask: Ask, waits: Waits) -> None:
    with serving(Counting(waits, a_minute=600)) as server:
        run = ask(server, 100, concurrency=1, requests_per_minute=600)
    assert (run.n_by_status["ok"], server.n_turned_away, run.n_retries) == (100, 0, 0)
    assert 99 / waits.now >= 0.9 * 600 / 60


def test_without_a_rate_what_the_server_asks_to_wait_is_waited(ask: Ask, waits: Waits) -> None:
    with serving(Counting(waits, a_minute=120)) as server:
        run = ask(server, 30, concurrency=1)
    assert (run.n_by_status["ok"], server.n_turned_away) == (30, 2)
    assert waits.seconds == [10, 10]


def test_calls_turned_away_while_others_are_answered_use_up_no_retry(ask: Ask) -> None:
    class Narrow(Server):
        def reply_to(self, request: Request) -> Reply:
            return openai_error(429, "busy", "busy") if self._in_flight > 2 else super().reply_to(request)

    heard = Heard()
    with serving(Narrow("/v1/chat/completions", openai_answer)) as server:
        run = ask(server, 150, concurrency=16, max_retries=1, progress=heard)
    assert run.n_by_status["ok"] == 150
    assert [line for line in heard.said if "calls away (429)" in line] == heard.said[1:]


class Down(Server):
    """Answers its first call, and is down from then on for as long as it holds."""

    def __init__(self, is_down: Callable[[], bool]) -> None:
        super().__init__("/v1/chat/completions", openai_answer)
        self.is_down = is_down

    def reply_to(self, request: Request) -> Reply:
        with self._lock:
            is_down = bool(self.requests) and self.is_down()
            self.requests.append(request)
        return openai_error(503, "restarting", None) if is_down else openai_answer(self, request)


def test_a_server_that_is_down_for_a_while_is_left_alone_and_goes_on(ask: Ask, snapshot) -> None:
    heard = Heard()
    with serving(Down(lambda: not any("left alone" in line for line in heard.said))) as server:
        run = ask(server, 60, concurrency=FAILURES_IN_A_ROW, max_retries=50, progress=heard)
    assert run.n_by_status["ok"] == 60
    url = f"{server.url}/v1"
    # an answer that was on its way may show that it is back, before a call is sent to see
    assert [line for line in heard.said[1:] if line != f"asked: {url} is back"] == snapshot


def test_a_server_that_stays_down_stops_the_run_which_goes_on_later(ask: Ask, refused) -> None:
    with serving(Down(lambda: True)) as server:
        with refused(ProviderError, "system 'asked'") as caught:
            ask(server, 60, concurrency=FAILURES_IN_A_ROW, max_retries=50)
        assert caught.value.may_pass
        server.is_down = lambda: False
        again = ask(server, 60)
    assert (again.n_by_status["ok"], again.n_from_log) == (60, 1)


def test_what_fails_when_the_address_is_left_alone_is_asked_again(openai_server: Server, ask: Ask) -> None:
    openai_server.next_replies = [openai_completion("first"), *outage(FAILURES_IN_A_ROW)]
    run = ask(openai_server, 60, concurrency=1, max_retries=0)
    assert (run.n_by_status["error"], run.n_retries) == (FAILURES_IN_A_ROW - 1, 1)


def outage(n: int) -> list[Reply]:
    return [openai_error(503, "restarting", None) for _ in range(n)]


def test_several_addresses_share_the_work(two_servers: list[Server], ask: Ask) -> None:
    run = ask(two_servers[0], 40, concurrency=8, **at(*two_servers))
    assert run.n_by_status["ok"] == 40
    assert min(len(server.calls) for server in two_servers) >= 8
    assert sum(len(server.calls) for server in two_servers) == 40


def test_where_it_was_answered_is_no_part_of_what_was_asked(two_servers: list[Server], ask: Ask) -> None:
    first = ask(two_servers[0], 6, **at(*two_servers))
    again = ask(two_servers[0], 6)
    assert (again.n_requested, again.responses) == (0, first.responses)


@pytest.mark.parametrize("order", [1, -1])
def test_the_work_of_a_dead_address_goes_to_the_other(openai_server: Server, ask: Ask, order: int) -> None:
    urls = (f"{openai_server.url}/v1", NOBODY)[::order]
    heard = Heard()
    run = ask(openai_server, 30, base_url=urls[0], base_urls=urls, max_retries=0, concurrency=8, progress=heard)
    assert (run.n_by_status["ok"], len(openai_server.calls)) == (30, 30)
    assert run.n_retries <= 8
    left_alone = [line for line in heard.said if line.startswith(f"asked: {NOBODY} is left alone for 60 s")]
    assert len(left_alone) == 1
    assert f"{NOBODY} was left alone" in heard.said[-1] and "alone still" in heard.said[-1]


def test_an_address_that_only_fails_makes_way_for_the_other(two_servers: list[Server], ask: Ask) -> None:
    two_servers[1].next_replies = outage(1_000)
    run = ask(two_servers[0], 60, max_retries=0, concurrency=4, **at(*two_servers))
    assert run.n_by_status["ok"] == 60
    assert len(two_servers[1].calls) <= 60


def test_where_every_address_is_dead_the_run_stops(openai_server: Server, ask: Ask, waits: Waits, refused) -> None:
    urls = (NOBODY, "http://127.0.0.1:19/v1")
    with refused(ProviderError, "system 'asked'"):
        ask(openai_server, 30, base_url=urls[0], base_urls=urls)
    assert sum(waits.seconds) <= 60


def other_digest(server: Server, request: Request) -> Reply:
    reply = ollama_answer(server, request)
    if request.path == "/api/tags":
        return Reply(json.loads(reply.encoded().decode().replace(DIGEST, "0" * 64)))
    return reply


def test_two_addresses_with_different_models_are_refused(ollama_server: Server, ask: Ask, refused) -> None:
    with serving(Server("/api/chat", other_digest)) as other:
        urls = (ollama_server.url, other.url)
        with refused(ProviderError, "system 'asked'"):
            ask(ollama_server, 3, base_urls=urls)
    assert not ollama_server.calls


def test_an_address_that_was_away_at_the_start_is_not_asked_before_it_says_what_it_has(
    ollama_server: Server, ask: Ask
) -> None:
    run = ask(ollama_server, 5, base_urls=("http://127.0.0.1:9", ollama_server.url))
    assert (run.n_by_status["ok"], run.description.model_digest) == (5, DIGEST)


def asked_of(name: str, server: Server, folder: Path, **fields: Any) -> Logged:
    given = {"provider": "openai", "model": MODEL, "base_url": f"{server.url}/v1", "max_retries": 0, **fields}
    return Logged(SystemConfig(name, **given), folder / f"{name}.jsonl")


def test_systems_of_different_addresses_are_asked_side_by_side(two_servers: list[Server], tmp_path: Path) -> None:
    both = threading.Barrier(2, timeout=10)

    class Together(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            both.wait()
            return True

    for server in two_servers:
        server.next_replies = [openai_completion("together") for _ in range(3)]
        for reply in server.next_replies:
            reply.waits_for = Together()
    heard = Heard()
    asked = [asked_of(f"g{i}", server, tmp_path, concurrency=1) for i, server in enumerate(two_servers)]
    runs = generate_all(numbered_prompts(3), asked, heard)
    assert [run.n_by_status["ok"] for run in runs] == [3, 3]
    assert heard.counts == [("2 generations", "answers", n, 6) for n in range(1, 7)]
    assert [len(one.log_path.read_text().splitlines()) for one in asked] == [4, 4]


def test_systems_of_one_address_share_its_calls_and_change_its_model_once(
    openai_server: Server, tmp_path: Path
) -> None:
    asked = [
        asked_of(
            f"g{i}", openai_server, tmp_path, decoding={"seed": i}, concurrency=3 + i, system_prompt=f"You are {i}."
        )
        for i in range(3)
    ]
    runs = generate_all(numbered_prompts(20), asked)
    assert [run.n_by_status["ok"] for run in runs] == [20] * 3
    assert openai_server.most_in_flight <= 5
    order = [call.body["seed"] for call in openai_server.calls]
    assert order.index(1) >= 20 - 3 and order.index(2) >= 40 - 4
    assert all(max(order[: 20 * (i + 1) - 5]) <= i for i in range(3))


def test_a_system_that_cannot_go_on_stops_all_and_every_log_keeps_its_own(
    two_servers: list[Server], tmp_path: Path
) -> None:
    bad = [openai_error(400, "bad", None) for _ in range(FAILURES_IN_A_ROW)]
    two_servers[0].next_replies = bad
    asked = [asked_of(f"g{i}", server, tmp_path, concurrency=1) for i, server in enumerate(two_servers)]
    with pytest.raises(ProviderError, match="system 'g0'"):
        generate_all(numbered_prompts(60), asked)
    again = generate_all(numbered_prompts(60), asked)
    assert [run.n_by_status["ok"] for run in again] == [60 - FAILURES_IN_A_ROW, 60]
    assert again[1].n_from_log > 0


def own_answer(run: SystemRun) -> list[bool]:
    return [row.response_text == f"A reply to: Sentence number {row.prompt_id[1:]} begins" for row in run.responses]


def test_nothing_is_lost_among_faults_of_every_kind(openai_server: Server, ask: Ask, log_path: Path) -> None:
    def faults() -> list[Reply]:
        return [
            openai_error(429, "slow down", "rate_limit_exceeded"),
            openai_error(429, "slow down", "rate_limit_exceeded", **{"retry-after-ms": "20"}),
            Reply(status=0),
            Reply(b"<html><title>502 Bad Gateway</title></html>", status=502),
            Reply(b"<!doctype html><title>Please wait</title>"),
            Reply(b'{"choices": [{"message": {"role": "assistant", "cont'),
            Reply(waits_for=openai_server.stopped),
        ]

    openai_server.next_replies = [reply for _ in range(5) for reply in faults()]
    run = ask(openai_server, 120, concurrency=16, max_retries=60, timeout_seconds=1)
    assert run.n_by_status == {"ok": 120, "error": 0, "not_recorded": 0}
    assert all(own_answer(run))
    assert run.n_retries >= 35
    lines = [json.loads(line) for line in log_path.read_text().splitlines()]
    assert len({line["response_id"] for line in lines if "response_id" in line}) == 120 == len(lines) - 1
    assert ask(openai_server, 120, progress=SILENT).n_requested == 0

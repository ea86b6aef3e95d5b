"""What of an allowed rate is used, and what is lost among faults: `python -m bench.bench_bounds`.

The server is a process of its own on loopback. For rates it counts calls and tokens over sliding windows of a minute
and of 10 seconds, and turns away what is above its allowance. For faults, a share of its replies is 429, a reset
connection, a web page, half a JSON, an error of 500 or none at all; every answer must come back, once, to its own
prompt.
"""

import argparse
import asyncio
import json
import multiprocessing
import random
import resource
import socket
import struct
import tempfile
import time
from collections import Counter, deque
from pathlib import Path
from typing import Any, Final

from python_assets.providers.addresses import Addresses
from python_assets.providers.failures import Backoff
from python_assets.providers.loop import generate
from python_assets.providers.records import Prompt, SystemConfig

LATENCY_SECONDS: Final = 0.05
N_TOKENS: Final = (30, 40)  # of a prompt and of an answer, as the server counts them
TOKENS_A_MINUTE: Final = 60_000
HANG_SECONDS: Final = 3_600.0
KINDS: Final = ("429", "429 with a time", "reset", "web page", "half a JSON", "500", "hang")


class Window:
    """What was used in the last seconds, against what is allowed in them."""

    def __init__(self, seconds: float, allowed: float) -> None:
        self.seconds, self.allowed, self.used = seconds, allowed, 0.0
        self._events: deque[tuple[float, float]] = deque()

    def takes(self, now: float, amount: float) -> bool:
        """Whether it has room, without taking it."""
        while self._events and self._events[0][0] <= now - self.seconds:
            self.used -= self._events.popleft()[1]
        return self.used + amount <= self.allowed

    def take(self, now: float, amount: float) -> None:
        """Use some."""
        self._events.append((now, amount))
        self.used += amount


class FaultyServer:
    """Speaks OpenAI's protocol, within an allowance and with faults."""

    def __init__(self, calls_a_minute: int | None, tokens_a_minute: int | None, share: float) -> None:
        self.share = share
        self.random = random.Random(29)
        self.windows = [
            (Window(seconds, allowed * seconds / 60), amount)
            for allowed, amount in ((calls_a_minute, 1), (tokens_a_minute, sum(N_TOKENS)))
            if allowed
            for seconds in (60.0, 10.0)
        ]
        self.told: dict[str, float] = Counter()
        self._began: float | None = None

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer call after call on one connection."""
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
                body = await reader.readexactly(int(length.partition(b":")[2]))
                if not await self._reply(body, writer):
                    return
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _reply(self, body: bytes, writer: asyncio.StreamWriter) -> bool:
        """Write a reply; false where the connection ends."""
        now = time.monotonic()
        if not all(window.takes(now, amount) for window, amount in self.windows):
            self.told["turned away"] += 1
            writer.write(_reply(429, b'{"error": {"message": "slow down"}}', "retry-after: 1\r\n"))
            return True
        for window, amount in self.windows:
            window.take(now, amount)
        self._began = self._began or now
        self.told["seconds"] = now - self._began
        if self.random.random() < self.share:
            kind = self.random.choice(KINDS)
            self.told[kind] += 1
            return await self._fail(kind, writer)
        self.told["answered"] += 1
        await asyncio.sleep(LATENCY_SECONDS)
        text = json.loads(body)["messages"][-1]["content"]
        writer.write(_reply(200, _completion(f"A reply to: {text}")))
        return True

    async def _fail(self, kind: str, writer: asyncio.StreamWriter) -> bool:
        if kind == "reset":
            linger = struct.pack("ii", 1, 0)  # a reset in place of an end
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            return False
        if kind == "hang":
            await asyncio.sleep(HANG_SECONDS)
        written = {
            "429": _reply(429, b'{"error": {"message": "slow down"}}'),
            "429 with a time": _reply(429, b'{"error": {"message": "slow down"}}', "retry-after-ms: 30\r\n"),
            "web page": _reply(200, b"<!doctype html><title>Please wait</title>"),
            "half a JSON": _reply(200, _completion("cut")[:40]),
            "500": _reply(500, b'{"error": {"message": "overloaded"}}'),
        }
        writer.write(written[kind])
        return True


def _completion(text: str) -> bytes:
    usage = {"prompt_tokens": N_TOKENS[0], "completion_tokens": N_TOKENS[1]}
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return json.dumps({"model": "m", "choices": [choice], "usage": usage}).encode()


def _reply(status: int, body: bytes, headers: str = "") -> bytes:
    head = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n{headers}content-length: {len(body)}\r\n\r\n"
    return head.encode() + body


def _run_server(port: Any, told: Any, *allowed: Any) -> None:
    async def serve() -> None:
        faulty = FaultyServer(*allowed)
        server = await asyncio.start_server(faulty.answer, "127.0.0.1", 0, backlog=1_024)
        port.value = server.sockets[0].getsockname()[1]
        while True:
            await asyncio.sleep(0.2)
            told.update(faulty.told)

    asyncio.run(serve())


def _asked(n_calls: int, allowed: tuple[int | None, int | None, float], **fields: Any) -> dict[str, float]:
    """What the server did; ends the process where an answer is missing or wrong."""
    with multiprocessing.Manager() as manager:
        told, port = manager.dict(), multiprocessing.Value("i", 0)
        server = multiprocessing.Process(target=_run_server, args=(port, told, *allowed), daemon=True)
        server.start()
        while not port.value:
            time.sleep(0.01)
        prompts = [Prompt(f"p{i}", f"p{i}", f"Sentence number {i}", task="question") for i in range(n_calls)]
        url = f"http://127.0.0.1:{port.value}/v1"
        config = SystemConfig("bench", "openai", "m", base_url=url, concurrency=64, **fields)
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "bench.jsonl"
            run = generate(prompts, config, log, addresses=Addresses(Backoff(first_seconds=0.1)))
            n_lines = sum(b'"response_id"' in line for line in log.read_bytes().splitlines())
        time.sleep(0.5)
        server.terminate()
        meant = (f"A reply to: {prompt.prompt_text}" for prompt in prompts)
        wrong = [row for row, text in zip(run.responses, meant, strict=True) if row.response_text != text]
        if wrong or n_lines != n_calls:
            raise SystemExit(f"{len(wrong):,} of {n_calls:,} answers missing or wrong, {n_lines:,} lines: {wrong[:1]}")
        return dict(told)


def _bench_rates(seconds: int) -> None:
    print("| allowed a minute | calls a second | share of the allowed | turned away |\n|---|---|---|---|")
    for a_minute in (600, 6_000):
        for declared in (True, False):
            rate = {"requests_per_minute": a_minute} if declared else {}
            n_calls = a_minute * seconds // 60
            told = _asked(n_calls, (a_minute, None, 0.0), max_retries=20, **rate)
            _print_rate(f"{a_minute:,} calls" + ("" if declared else ", not declared"), n_calls, a_minute, told)
    n_calls = TOKENS_A_MINUTE // sum(N_TOKENS) * seconds // 60
    told = _asked(n_calls, (None, TOKENS_A_MINUTE, 0.0), max_retries=20, tokens_per_minute=TOKENS_A_MINUTE)
    _print_rate(f"{TOKENS_A_MINUTE:,} tokens", n_calls, TOKENS_A_MINUTE / sum(N_TOKENS), told)


def _print_rate(what: str, n_calls: int, a_minute: float, told: dict[str, float]) -> None:
    """From the first call to the last, between which all but one of them lie."""
    a_second = (n_calls - 1) / told["seconds"]
    turned_away = told.get("turned away", 0)
    print(f"| {what} | {a_second:,.1f} | {60 * a_second / a_minute:.1%} | {turned_away:,.0f} |", flush=True)


def _bench_faults(n_calls: int, share: float) -> None:
    told = _asked(n_calls, (None, None, share), max_retries=20, timeout_seconds=5)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    faults = ", ".join(f"{kind} {told.get(kind, 0):,.0f}" for kind in KINDS)
    a_second = n_calls / told["seconds"]
    print(f"{n_calls:,} answers in {told['seconds']:,.0f} s, {a_second:,.0f} a second, peak {peak:,.0f} MB; {faults}")


def main() -> None:
    """Print the share of rates that is used, and what came of calls among faults."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="that a rate is used for, at least")
    parser.add_argument("--calls", type=int, default=20_000, help="among faults")
    parser.add_argument("--share", type=float, default=0.07, help="of replies that are faults")
    options = parser.parse_args()
    _bench_rates(options.seconds)
    _bench_faults(options.calls, options.share)


if __name__ == "__main__":
    main()

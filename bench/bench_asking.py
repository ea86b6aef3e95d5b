"""How many calls a second a server is asked that answers after a while: `python -m bench.bench_asking`.

The same generation, log included, once with one HTTP client for all calls in flight and once with one for
each, in turns in the same run, on loopback; the server is a process of its own. Where other jobs run, calls a
second of CPU are what compares.
"""

import argparse
import asyncio
import json
import multiprocessing
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx

from python_assets.providers import http_provider
from python_assets.providers.clients import Clients
from python_assets.providers.loop import generate
from python_assets.providers.records import Prompt, SystemConfig

N_ROUNDS: Final = 3
LATENCY_SECONDS: Final = 0.1  # of a short answer by a fast server
BODY: Final = json.dumps(
    {
        "model": "m",
        "choices": [{"message": {"role": "assistant", "content": "A reply."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 3},
    }
).encode()
REPLY: Final = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(BODY), BODY)


class OneClient(Clients):
    """One client for every call, whose pool has as many connections as calls are in flight."""

    most = 64

    @contextmanager
    def lent(self) -> Iterator[httpx.AsyncClient]:
        """The client that every call has."""
        if not self._idle:
            limits = httpx.Limits(max_connections=self.most)
            self._idle.append(httpx.AsyncClient(**self._options, limits=limits))
        yield self._idle[0]


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while head := await reader.readuntil(b"\r\n\r\n"):
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
        await reader.readexactly(int(length.partition(b":")[2]))
        await asyncio.sleep(LATENCY_SECONDS)
        writer.write(REPLY)
        await writer.drain()


def _quietly(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """A client that hangs up ends its connection, and nothing else."""
    if not isinstance(context.get("exception"), asyncio.IncompleteReadError | ConnectionError):
        loop.default_exception_handler(context)


async def _serve(port: Any) -> None:
    asyncio.get_running_loop().set_exception_handler(_quietly)
    server = await asyncio.start_server(_answer, "127.0.0.1", 0, backlog=1_024)
    port.value = server.sockets[0].getsockname()[1]
    await server.serve_forever()


def _run_server(port: Any) -> None:
    asyncio.run(_serve(port))


class Rate(NamedTuple):
    """Calls a second of the clock, and of this process's CPU."""

    by_clock: float
    by_cpu: float


def _rate(url: str, n_calls: int, concurrency: int, clients: type[Clients]) -> Rate:
    prompts = [Prompt(f"p{i}", f"p{i}", f"Sentence number {i}", task="question") for i in range(n_calls)]
    config = SystemConfig("bench", "openai", "m", concurrency=concurrency, base_url=url)
    http_provider.Clients = clients  # type: ignore[misc]
    with tempfile.TemporaryDirectory() as folder:
        started, cpu = time.perf_counter(), time.process_time()
        run = generate(prompts, config, Path(folder) / "bench.jsonl")
        rate = Rate(n_calls / (time.perf_counter() - started), n_calls / (time.process_time() - cpu))
    if run.n_by_status["ok"] != n_calls:
        raise SystemExit(f"only {run.n_by_status['ok']:,} of {n_calls:,} calls were answered")
    return rate


def _median(rates: list[Rate]) -> Rate:
    return Rate(*(statistics.median(values) for values in zip(*rates, strict=True)))


def main() -> None:
    """Print calls a second by calls in flight, the median of the rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1_500)
    n_calls = parser.parse_args().calls
    port = multiprocessing.Value("i", 0)
    server = multiprocessing.Process(target=_run_server, args=(port,), daemon=True)
    server.start()
    while not port.value:
        time.sleep(0.01)
    url = f"http://127.0.0.1:{port.value}/v1"
    print("| calls in flight | one client for all | one for each | times | times by CPU |")
    print("|---|---|---|---|---|")
    for concurrency in (16, 64, 256):
        OneClient.most = concurrency
        rounds = [
            (_rate(url, n_calls, concurrency, OneClient), _rate(url, n_calls, concurrency, Clients))
            for _ in range(N_ROUNDS)
        ]
        before, now = (_median(list(rates)) for rates in zip(*rounds, strict=True))
        numbers = f"{before.by_clock:,.0f} | {now.by_clock:,.0f} | {now.by_clock / before.by_clock:.1f}"
        print(f"| {concurrency} | {numbers} | {now.by_cpu / before.by_cpu:.1f} |", flush=True)
    server.terminate()


if __name__ == "__main__":
    main()

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from python_assets.providers.addresses import Addresses
from python_assets.providers.failures import Backoff
from python_assets.providers.loop import generate
from python_assets.providers.records import Prompt, SystemConfig, SystemRun
from python_assets.warehouse.progress import SILENT
from tests.python_assets.providers.servers import MODEL, Server, ollama_answer, openai_answer, serving


@dataclass
class Waits:
    """A back-off that does not wait and remembers how long it should have; its clock stands still otherwise."""

    seconds: list[float] = field(default_factory=list)
    now: float = 0.0

    def backoff(self) -> Backoff:
        async def sleep(seconds: float) -> None:
            self.seconds.append(seconds)
            self.now += seconds

        return Backoff(sleep=sleep, now=lambda: self.now, jitter=lambda: 1.0)

    def addresses(self) -> Addresses:
        return Addresses(self.backoff())


@pytest.fixture
def ollama_server() -> Iterator[Server]:
    with serving(Server("/api/chat", ollama_answer)) as server:
        yield server


@pytest.fixture
def openai_server() -> Iterator[Server]:
    with serving(Server("/v1/chat/completions", openai_answer)) as server:
        yield server


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def log_path(tmp_path: Path) -> Path:
    return tmp_path / "responses" / "study" / "asked.jsonl"


Ask = Callable[..., SystemRun]


@pytest.fixture
def ask(log_path: Path, waits: Waits) -> Ask:
    """Run a generation against a server: ask(server, n_prompts or prompts, **config)."""

    def run(server: Server, prompts: int | list[Prompt] = 1, **config: Any) -> SystemRun:
        progress = config.pop("progress", SILENT)
        is_ollama = server.system_path == "/api/chat"
        defaults = {
            "system_id": "asked",
            "provider": "ollama" if is_ollama else "openai",
            "model": MODEL,
            "base_url": server.url if is_ollama else server.url + "/v1/",
            "max_retries": 2,
            "timeout_seconds": 10,
        }
        listed = numbered_prompts(prompts) if isinstance(prompts, int) else prompts
        settings = SystemConfig(**{**defaults, **config})
        return generate(listed, settings, log_path, progress, addresses=waits.addresses())

    return run


def numbered_prompts(n_prompts: int) -> list[Prompt]:
    return [Prompt(f"p{i}", f"p{i}", f"Sentence number {i} begins", task="question") for i in range(n_prompts)]

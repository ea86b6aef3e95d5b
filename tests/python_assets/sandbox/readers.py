"""What a hostile file can make a library do, and what a worker sees."""

import json
import os
import pickle
import sys
import time
from pathlib import Path

from python_assets.errors import StudyError, Told
from python_assets.sandbox import worker
from python_assets.sandbox.messages import send


def process() -> int:
    """Which process reads."""
    return os.getpid()


def fill_memory() -> int:
    """One byte after another."""
    held = bytearray()
    while True:
        held += bytes(100_000_000)


def never_end() -> int:
    """Use a processor."""
    while True:
        pass


def wait() -> int:
    """Use none."""
    time.sleep(600)
    return 0


def be_killed(signal: int) -> int:
    """As by a library that is not Python."""
    os.kill(os.getpid(), signal)
    return 0


def leave() -> int:
    """Without a word."""
    os._exit(7)


def stumble() -> int:
    """Over anything."""
    raise AttributeError("'NoneType' object has no attribute 'read'")


def refuse() -> int:
    """As readers do."""
    raise StudyError((Path("a.yml"), "prompts", 0), Told("this"), "that", "do so")


def read_two(first: str, second: str) -> int:
    """The second of which fills memory."""
    for file in (first, second):
        worker.now_reading(Path(file))
    return fill_memory()


def answer_otherwise() -> int:
    """A text."""
    return "no number"  # type: ignore[return-value]


def give_an_object() -> list[object]:
    """What is no data."""
    return [object()]


def send_a_pickle() -> int:
    """Past the one that answers, as a taken over worker could."""

    class Hostile:
        def __reduce__(self):
            return (print, ("taken over",))

    send(worker._answers, worker.VALUE, b"", pickle.dumps(Hostile()))
    return 0


def send_nothing() -> int:
    """An answer of no parts, and one of too few."""
    send(worker._answers)
    return 0


def send_no_place() -> int:
    """An error that is nowhere."""
    parts = {"kind": "StudyError", "where": [[1]], "got": {}, "is_told": False, "expected": "", "remedy": ""}
    send(worker._answers, worker.ERROR, b"", json.dumps(parts).encode())
    return 0


def say_a_book() -> int:
    """What a library stumbles over may be all of a file."""
    raise KeyError("x" * 10_000_000)


def send_without_end() -> int:
    """More than is taken."""
    worker._answers.write((3).to_bytes(8) + (2**62).to_bytes(8))
    worker._answers.flush()
    return 0


def write(path: str) -> str:
    """To a file, if that can be."""
    try:
        Path(path).write_bytes(b"x" * 100)
    except OSError as error:
        return error.strerror
    return ""


def environment() -> dict[str, str]:
    """What is in it."""
    return dict(os.environ)


def say() -> str:
    """Something on the way."""
    print("said")
    os.write(1, b"said")
    sys.stdout.flush()
    return "answered"


def texts(n: int) -> list[str]:
    """So many."""
    return ["ü"] * n

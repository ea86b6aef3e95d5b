"""The process that opens foreign files: it reads on request, within limits, and answers with data alone."""

import math
import os
import pickle
import resource
import signal
import sys
import traceback
from functools import partial
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from python_assets.errors import PlumblineError
from python_assets.sandbox.messages import pack, pack_error, receive, send

AT: Final = b"at"
VALUE: Final = b"value"
ERROR: Final = b"error"
_FAILED: Final = b"failed"
NO_MEMORY: Final = b"no memory"

_GIB: Final = 1024**3
_MOST_REQUEST_BYTES: Final = _GIB
_answers: IO[bytes] | None = None  # where a worker answers; None in every other process


class Limits(NamedTuple):
    """What opening one file may take: memory beyond what the worker has anyway, and seconds of a processor."""

    memory_bytes: int = 2 * _GIB
    cpu_seconds: int = 300


def now_reading(file: Path) -> None:
    """Say which of several files is read now, for the error text if it is the last that the worker read."""
    if _answers is not None:
        send(_answers, AT, os.fsencode(file))


def work() -> None:
    """Answer requests until there are none."""
    global _answers
    requests, _answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that asks is interrupted, and ends this one
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    n_bytes_at_start = _address_space()
    is_large = False
    while not is_large:
        try:
            (request,) = receive(requests, _MOST_REQUEST_BYTES)
        except EOFError:
            return
        read, limits = pickle.loads(request)
        _limit(n_bytes_at_start + limits.memory_bytes, _cpu_seconds() + limits.cpu_seconds)
        kind, *chunks = _answer(read)
        # what libraries keep of one file is not taken from the next
        is_large = _address_space() - n_bytes_at_start > limits.memory_bytes / 2
        send(_answers, kind, b"last" if is_large else b"", *chunks)


def _limit(n_bytes: int, cpu_seconds: float) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(cpu_seconds), resource.RLIM_INFINITY))
    if sys.platform == "linux":  # macOS knows the limit of memory and does not hold to it
        resource.setrlimit(resource.RLIMIT_AS, (n_bytes, resource.RLIM_INFINITY))


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _address_space() -> int:
    """Bytes, of which memory is a part; 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def _answer(read: "partial[Any]") -> list[bytes]:
    try:
        return [VALUE, *pack(read(), read.func)]
    except PlumblineError as error:
        return [ERROR, pack_error(error)]
    except MemoryError:
        return [NO_MEMORY]
    except Exception as error:
        # a hostile file can make a library stumble over anything
        message = f"{type(error).__name__}: {error}"
        return [_FAILED, _bytes(message), _bytes(traceback.format_exc())]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")

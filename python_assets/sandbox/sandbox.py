"""The one way to what others wrote in a form that a library unpacks: documents, tables, manifests, logs, pages.

Belongs here: asking a worker, and telling why it gave no answer. One worker serves a whole study; it starts
with the first file and is replaced where a file ended it.
"""

import atexit
import os
import pickle
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from python_assets.errors import PlumblineError, SourceError, Where
from python_assets.sandbox.messages import error_of, receive, send, unpack
from python_assets.sandbox.worker import AT, ERROR, NO_MEMORY, VALUE, Limits

_T = TypeVar("_T")

_LIMITS: Final = Limits()
_MOST_ANSWER_BYTES: Final = 4 * 1024**3
# of a clock for a second of a processor, of which a file that is waited for takes none
_SECONDS_WAITED: Final = 4
_SECONDS_TO_END: Final = 1.0
_START: Final = "from python_assets.sandbox.worker import work; work()"
# no key that stands in the environment is needed to read a file
_ENVIRONMENT: Final = ("HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "TMPDIR", "TZ")
# memory that is reserved and not used would count, too
_SETTINGS: Final = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}
_MOST_CHARACTERS: Final = 500  # of what a library says, which may be what it stumbled over
_REMEDY: Final = "take it out, or save what is needed of it anew, in several files where it is large"


class _ReadingWorker:
    """A process that reads one file after another, for the process that started it.

    Attributes:
        file: what it reads.
        owner: the process that started it.
        was_late: whether it was ended because it took too long.
    """

    def __init__(self, file: Path | str) -> None:
        self.file = file
        self.owner = os.getpid()
        self.was_late = False
        path = os.pathsep.join(one for one in sys.path if one)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={one: os.environ[one] for one in _ENVIRONMENT if one in os.environ} | _SETTINGS | {"PYTHONPATH": path},
        )

    @property
    def is_there(self) -> bool:
        """Whether this process can ask it."""
        return self.owner == os.getpid() and self._process.poll() is None

    def ask(self, request: bytes, seconds: float) -> list[bytes]:
        """The parts of its answer.

        Raises:
            EOFError, BrokenPipeError: it ended without one.
            ValueError: it is larger than any answer is.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        watch = threading.Timer(seconds, self._stop_waiting)
        watch.daemon = True
        watch.start()
        try:
            send(self._process.stdin, request)
            while (answer := receive(self._process.stdout, _MOST_ANSWER_BYTES))[0] == AT:
                self.file = Path(os.fsdecode(answer[1]))
            return answer
        finally:
            watch.cancel()

    def _stop_waiting(self) -> None:
        self.was_late = True
        self._process.kill()

    def end(self) -> int:
        """End it where it has not ended; its exit status, below zero where a signal ended it."""
        try:
            self._process.communicate(timeout=_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
        return self._process.returncode


_lock: Final = threading.Lock()
_at_work: Final[list[_ReadingWorker]] = []  # the one that is there, if any


def in_sandbox(read: "partial[_T]", file: Path | str, field: Where, limits: Limits = _LIMITS) -> _T:
    """Read a file in a worker process.

    Args:
        read: a function of a module with its arguments. What it returns is data of the type that it declares:
            texts, numbers, records of them, tables.
        file: what is read, or the address it came from, for error texts.
        field: of the study file that names it, for error texts.
        limits: what reading it may take.

    Returns:
        What the function returned, checked against its declared type.

    Raises:
        SourceError, StudyError: as the function raises them; or the file took more than the limits, or what
            reads it stumbled over it.
    """
    with _lock:
        worker = _worker(file)
        try:
            kind, is_last, *chunks = worker.ask(pickle.dumps((read, limits)), limits.cpu_seconds * _SECONDS_WAITED)
            error = None if kind == VALUE else _error(kind, chunks, worker.file, field, limits)
            if error is None:
                value = unpack(chunks, read.func)
        except (EOFError, BrokenPipeError):
            why = _why_ended(dismiss(), worker.was_late, limits)
            raise _unread(worker.file, field, why) from None
        except (IndexError, ValueError) as wrong:
            dismiss()
            why = f"its reader gave what it does not declare ({str(wrong).splitlines()[0]})"
            raise _unread(worker.file, field, why) from wrong
        except BaseException:
            dismiss()  # an answer that nobody waits for would be taken for the next one
            raise
        if is_last:
            dismiss()
    if error is not None:
        raise error
    return value


def _worker(file: Path | str) -> _ReadingWorker:
    if _at_work and not _at_work[0].is_there:
        _at_work.clear()
    if not _at_work:
        _at_work.append(_ReadingWorker(file))
    _at_work[0].file = file
    return _at_work[0]


@atexit.register
def dismiss() -> int:
    """End the worker, if there is one; its exit status."""
    return _at_work.pop().end() if _at_work and _at_work[0].owner == os.getpid() else 0


def _error(kind: bytes, parts: list[bytes], file: Path | str, field: Where, limits: Limits) -> PlumblineError:
    if kind == ERROR:
        return error_of(parts[0])
    if kind == NO_MEMORY:
        return _unread(file, field, _too_large(limits))
    message, trace = (chunk.decode("utf-8", "replace") for chunk in parts)
    error = _unread(file, field, " ".join(message.split())[:_MOST_CHARACTERS])
    error.__cause__ = RuntimeError(trace)
    return error


def _why_ended(status: int, was_late: bool, limits: Limits) -> str:
    if was_late or status == -signal.SIGXCPU:
        return f"reading it takes more than {limits.cpu_seconds:,} seconds of a processor"
    # what a library that is not Python does where it gets no memory
    if status in (-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS):
        return f"it ended what reads it ({signal.Signals(-status).name}); {_too_large(limits)}, perhaps"
    ending = signal.Signals(-status).name if -status in set(signal.Signals) else f"exit status {status}"
    return f"it ended what reads it ({ending})"


def _too_large(limits: Limits) -> str:
    return f"reading it takes more than {limits.memory_bytes / 1024**2:,.0f} MB of memory"


def _unread(file: Path | str, field: Where, why: str) -> SourceError:
    return SourceError(field, f"{file}: {why}", "a file that can be read within limits", _REMEDY)

"""Progress of few calls that may be slow: a line after some seconds, whether or not an answer came.

Belongs here: the clock. Progress in general is warehouse/progress.py.
"""

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

from python_assets.warehouse.progress import Tell, counted, duration

FIRST_SECONDS: Final = 5.0
"""After which a first line is written."""
SECONDS_BETWEEN: Final = 15.0


class Waiting:
    """Listens to what is asked and says how far it is now and then, until it is closed."""

    def __init__(
        self, write: Callable[[str], None], what: str, first: float = FIRST_SECONDS, between: float = SECONDS_BETWEEN
    ) -> None:
        """Take what writes a line, what is waited for, and after how many seconds a line is written."""
        self._write = write
        self._what = what
        self._first, self._between = first, between
        self._begun = time.monotonic()
        self._ended = threading.Event()
        self._line: Callable[[], str] | None = None
        self._thread = threading.Thread(target=self._tell, daemon=True)

    def __enter__(self) -> Self:
        """Start the clock."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop it; no line is written after that."""
        self._ended.set()
        self._thread.join()

    def say(self, text: str) -> None:
        """Write it."""
        self._write(text)

    def start(self, what: str, unit: str, n_total: int) -> Tell:
        """Count from now on."""
        n_done, begun = 0, time.monotonic()

        def line() -> str:
            return counted(what, unit, n_done=n_done, n_total=n_total, seconds=time.monotonic() - begun)

        def tell(n: int) -> None:
            nonlocal n_done
            n_done = n

        if n_total:
            self._line = line
        return tell

    def _tell(self) -> None:
        pause = self._first
        while not self._ended.wait(pause):
            pause = self._between
            waited = duration(time.monotonic() - self._begun)
            self._write(self._line() if self._line else f"waits for {self._what}, {waited} so far")

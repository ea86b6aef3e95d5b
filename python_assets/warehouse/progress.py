"""How far something long is: what was answered, embedded or drawn, at what rate, and how long it will take.

Belongs here: what an algorithm tells, and the words of it. Who listens (a terminal, Dagster's log) is wiring.
"""

import time
from collections.abc import Callable
from typing import Final, Protocol

SECONDS_BETWEEN_LINES: Final = 30.0

Tell = Callable[[int], None]
"""Says how many are done by now; called as often as one likes, the last time with all of them."""


class Progress(Protocol):
    """Listens to what takes long."""

    def say(self, text: str) -> None:
        """Hear one line, such as what came from a log."""

    def start(self, what: str, unit: str, n_total: int) -> Tell:
        """Hear that something begins.

        Args:
            what: whose it is, such as a generation.
            unit: what is counted, in the plural.
            n_total: how many there will be.

        Returns:
            What hears how many are done.
        """
        ...


class Silent:
    """Listens and tells nobody."""

    def say(self, text: str) -> None:
        """Hear it."""

    def start(self, what: str, unit: str, n_total: int) -> Tell:
        """Hear it."""
        return lambda n_done: None


SILENT: Final[Progress] = Silent()


class Lines:
    """Writes a line when something has been said, every half minute of a count, and at its end."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        """Take what writes a line, and what tells the seconds."""
        self._write = write
        self._clock = clock

    def say(self, text: str) -> None:
        """Write it."""
        self._write(text)

    def start(self, what: str, unit: str, n_total: int) -> Tell:
        """Write how far it is now and then; nothing where there is nothing to do."""
        started = self._clock()
        told_at = started

        def tell(n_done: int) -> None:
            nonlocal told_at
            now = self._clock()
            if n_done >= n_total or now - told_at >= SECONDS_BETWEEN_LINES:
                told_at = now
                self._write(counted(what, unit, n_done=n_done, n_total=n_total, seconds=now - started))

        return tell if n_total else _nothing


class All:
    """Tells several listeners."""

    def __init__(self, *listeners: Progress) -> None:
        """Take them, in the order in which they hear."""
        self._listeners = listeners

    def say(self, text: str) -> None:
        """Tell each."""
        for listener in self._listeners:
            listener.say(text)

    def start(self, what: str, unit: str, n_total: int) -> Tell:
        """Tell each."""
        tells = [listener.start(what, unit, n_total) for listener in self._listeners]

        def tell(n_done: int) -> None:
            for one in tells:
                one(n_done)

        return tell


def counted(what: str, unit: str, *, n_done: int, n_total: int, seconds: float) -> str:
    """How far a count is, in words.

    Args:
        what: whose it is.
        unit: what is counted, in the plural.
        n_done: how many are done.
        n_total: how many there will be, at least 1.
        seconds: since it began.
    """
    at_rate = f", {rate(n_done, seconds)}" if n_done and seconds > 0 else ""
    if n_done >= n_total:
        return f"{what}: {n_done:,} {unit} in {duration(seconds)}{at_rate}"
    left = f", {duration(seconds * (n_total - n_done) / n_done)} left" if n_done else ""
    return f"{what}: {n_done:,} of {n_total:,} {unit}{at_rate}{left}"


def rate(n_done: int, seconds: float) -> str:
    """How many a second, or a minute where that is under one.

    Args:
        n_done: how many are done.
        seconds: in how many, more than 0.
    """
    a_second = n_done / seconds
    return f"{a_second:,.1f} a second" if a_second >= 1 else f"{60 * a_second:.1f} a minute"


def duration(seconds: float) -> str:
    """A time in its two largest units: 3.2 s, 4 min 10 s, 2 h 5 min."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def _nothing(n_done: int) -> None:
    """There is nothing to count."""

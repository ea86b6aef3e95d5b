"""What a terminal shows of a run: each stage as it starts, and how far what takes long has come.

Belongs here: bars where standard error is a terminal, plain lines where it is a file or a pipe. The words of
a count are python_assets/warehouse/progress.py.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol

from python_assets.study.control_characters import printable
from python_assets.warehouse.progress import Lines, Progress, Tell, counted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID

INDENT: Final = "    "
BAR_WIDTH: Final = 16


class Display(Protocol):
    """Shows the stages of a run, and hears how far they are.

    Attributes:
        progress: what listens.
    """

    progress: Progress

    def begins(self, stage: str) -> None:
        """Show that a stage starts."""

    def ends(self, stage: str, outcome: str) -> None:
        """Show that a stage has ended, and how."""


@contextmanager
def display() -> Iterator[Display]:
    """Bars on a terminal, lines anywhere else; bars are gone at the end, whatever ended it."""
    from rich.console import Console

    console = Console(file=sys.stderr, highlight=False, markup=False, emoji=False)
    if not sys.stderr.isatty() or console.is_dumb_terminal:
        yield PlainDisplay()
        return
    shown = BarDisplay(console)
    with shown.bars:
        yield shown


class PlainDisplay:
    """Writes lines to standard error."""

    def __init__(self) -> None:
        """Listen."""
        self.progress: Progress = Lines(lambda text: _write(f"{INDENT}{text}"))

    def begins(self, stage: str) -> None:
        """Write its name."""
        _write(stage)

    def ends(self, stage: str, outcome: str) -> None:
        """Write its name and how it ended."""
        _write(f"{stage}: {outcome}")


class BarDisplay:
    """Keeps a row for the stage and a bar for each count at the foot of a terminal; also what listens."""

    def __init__(self, console: "Console") -> None:
        """Take the terminal."""
        from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bars

        # words come last: what a narrow terminal cuts off is the end of a line
        columns = (
            SpinnerColumn(),
            BarColumn(bar_width=BAR_WIDTH),
            TimeElapsedColumn(),
            TextColumn("{task.description}", markup=False),
        )
        self.bars = Bars(*columns, console=console, transient=True, redirect_stdout=False)
        self.progress: Progress = self
        self._stage: TaskID | None = None

    def begins(self, stage: str) -> None:
        """Show its row."""
        self._stage = self.bars.add_task(stage, total=None)

    def ends(self, stage: str, outcome: str) -> None:
        """Write its name and how it ended in the place of its row."""
        if self._stage is not None:
            self.bars.remove_task(self._stage)
        self.bars.console.print(printable(f"{stage}: {outcome}"))

    def say(self, text: str) -> None:
        """Write a line above the rows."""
        self.bars.console.print(printable(f"{INDENT}{text}"))

    def start(self, what: str, unit: str, n_total: int) -> Tell:
        """Show a bar, until it is full."""
        if not n_total:
            return lambda n_done: None
        started = time.monotonic()
        bar = self.bars.add_task(printable(f"{INDENT}{what}"), total=n_total)

        def tell(n_done: int) -> None:
            seconds = time.monotonic() - started
            far = counted(what, unit, n_done=n_done, n_total=n_total, seconds=seconds)
            if n_done < n_total:
                self.bars.update(bar, completed=n_done, description=printable(f"{INDENT}{far}"))
                return
            self.bars.remove_task(bar)
            self.say(far)

        return tell


def _write(text: str) -> None:
    print(printable(text), file=sys.stderr, flush=True)

"""Who hears how far a stage is: the run's own log in Dagster, and what `plumbline run` shows."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import dagster as dg

from python_assets.warehouse.progress import SILENT, All, Lines, Progress

_SHOWN: ContextVar[Progress] = ContextVar("shown", default=SILENT)


@contextmanager
def shown_by(progress: Progress) -> Iterator[None]:
    """Let what stages tell reach a terminal too, in this thread."""
    token = _SHOWN.set(progress)
    try:
        yield
    finally:
        _SHOWN.reset(token)


def progress_of(context: dg.AssetExecutionContext) -> Progress:
    """What a stage tells how far it is."""
    return All(Lines(context.log.info), _SHOWN.get())

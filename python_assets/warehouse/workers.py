"""Who scores portions of texts: this process, or others that a cluster has (python_assets/cluster)."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Protocol

from numpy.typing import NDArray

Score = Callable[[Sequence[str]], NDArray[Any]]
"""Texts to one row a text. It can be sent to another process, and loads its model there when it is called first."""


class Workers(Protocol):
    """Those who score."""

    def each(self, score: Score, portions: Sequence[Sequence[str]]) -> Iterator[NDArray[Any]]:
        """The rows of every portion, in their order, as soon as they and all before them are there."""
        ...


class ThisProcess:
    """Scores one portion after another."""

    def each(self, score: Score, portions: Sequence[Sequence[str]]) -> Iterator[NDArray[Any]]:
        """The rows of every portion, in their order."""
        return map(score, portions)


THIS_PROCESS: Final[Workers] = ThisProcess()

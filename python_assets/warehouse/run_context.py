"""What a stage may reach beyond its build file: the folders of the warehouse, the network, engines.

Belongs here: the permissions and the folders. Who is asked what is providers/engine.py and scrape/.
"""

from dataclasses import dataclass
from typing import Final

from python_assets.errors import PlumblineError
from python_assets.warehouse.build import Home
from python_assets.warehouse.progress import Progress
from python_assets.warehouse.workers import THIS_PROCESS, Workers


class OfflineError(PlumblineError):
    """Something would have to be fetched or asked, and this run may not: `plumbline plan` asks nothing."""


class UnconfirmedError(PlumblineError):
    """A run would ask more than it may without being confirmed."""


class CallAllowance:
    """How many calls of models a run may still ask; None allows any number."""

    def __init__(self, most: int | None) -> None:
        self.most = most
        self._n_taken = 0

    def require(self, n_calls: int) -> None:
        """See that so many more calls are allowed, before the first of them is asked.

        Raises:
            UnconfirmedError: they are not.
        """
        total = self._n_taken + n_calls
        if self.most is not None and total > self.most:
            raise UnconfirmedError(
                "this run",
                f"{total:,} calls to ask",
                f"at most {self.most:,} in a run that is not confirmed",
                "start it again with the tag confirm (in the launchpad: Edit tags, confirm = yes), or in a "
                "terminal with plumbline run; plumbline plan tells how many calls a study asks",
            )

    def take(self, n_calls: int) -> None:
        """Use up so many calls.

        Raises:
            UnconfirmedError: they are not allowed.
        """
        self.require(n_calls)
        self._n_taken += n_calls


ANY_NUMBER: Final = CallAllowance(None)


@dataclass(frozen=True, slots=True)
class RunContext:
    """What is beyond the build file.

    Attributes:
        home: where response logs, fetched pages and caches lie.
        progress: is told how far something long is.
        may_ask: whether pages may be fetched and engines asked; where not, only what is on disk already is
            used, and the rest raises OfflineError.
        allowance: how many calls may still be asked.
        look: of a study that is looked at while it grows, the look whose root prompts are asked, with those of all
            before it; None: all root prompts.
        workers: who scores texts by models.
    """

    home: Home
    progress: Progress
    may_ask: bool = True
    allowance: CallAllowance = ANY_NUMBER
    look: int | None = None
    workers: Workers = THIS_PROCESS

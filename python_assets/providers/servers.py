"""The addresses that have one model, each with the provider that asks it: which of them a call goes to.

Belongs here: choosing among several, and that they have the same model. What holds for one is addresses.py.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial

from python_assets.providers.addresses import Address, Addresses, Call, Visit
from python_assets.providers.provider import RemoteProvider
from python_assets.providers.records import Description


@dataclass(eq=False)
class Server:
    """One address of a generation; description: None until it has said which model answers there."""

    provider: RemoteProvider
    address: Address
    description: Description | None = None


class Servers:
    """All addresses of one generation, which have one model."""

    def __init__(self, providers: Sequence[RemoteProvider], addresses: Addresses) -> None:
        self.all = [Server(one, addresses.of(one)) for one in providers]

    async def enter(self, call: Call, tried: Collection[Server]) -> tuple[Server, Visit]:
        """Wait until a call may go, to the least loaded address; who enters leaves.

        Args:
            call: what goes.
            tried: where it failed already: another one is better.
        """
        while True:
            server = min(self.all, key=lambda one: (*_rank(one.address), one in tried, one.address.load))
            if visit := await server.address.enter(call, self.others(server)):
                return server, visit

    def others(self, server: Server) -> Callable[[], bool] | None:
        """Tells whether another address is open; None where there is no other."""
        return partial(self.has_open, [server]) if self.are_several else None

    def has_open(self, but: Collection[Server]) -> bool:
        """Whether an address is open besides these."""
        return any(one.address.is_open for one in self.all if one not in but)

    def share(self, others: "Servers") -> bool:
        """Whether another generation asks one of these addresses."""
        return not {one.address for one in self.all}.isdisjoint(one.address for one in others.all)

    @property
    def are_several(self) -> bool:
        """Whether there is another address than the first."""
        return len(self.all) > 1

    @property
    def n_answered(self) -> int:
        """Calls that were answered, of all generations that ask these addresses."""
        return sum(one.address.n_answered for one in self.all)

    @property
    def are_gone(self) -> bool:
        """Whether no address came back where a call looked after it was left alone."""
        return all(one.address.n_failed_probes for one in self.all)


def _rank(address: Address) -> tuple[float, bool]:
    """Addresses that ask to wait or are left alone come last, of these the one that may be asked first."""
    return max(address.left_alone_seconds, address.paused_seconds), address.is_left_alone

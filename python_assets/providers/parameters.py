"""Parameters of decoding that a model refuses: found at the first call, and sent otherwise or not at all.

Belongs here: what is learnt of one model. A field of options is the study's own wish and is never left out;
nor is the bound of an answer's length, without which a call can cost anything.
"""

from collections.abc import Collection, Mapping
from typing import Any, Final

from python_assets.providers.failures import ProviderFailure

BOUND: Final = "max_tokens"


class Parameters:
    """What of a study's decoding one model takes.

    Attributes:
        changes: by the name of a refused parameter the one it is sent as, None where it is left out.
    """

    def __init__(
        self, optional: Collection[str], other_names: Mapping[str, str], left_out: Collection[str] = ()
    ) -> None:
        """Take what may be left out, under which other names parameters may be sent, and what never is."""
        self.changes: dict[str, str | None] = dict.fromkeys(left_out)
        self._optional = optional
        self._other_names = other_names

    def applied(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """A request as the model takes it, by what is known."""
        sent = dict(payload)
        for name, other in self.changes.items():
            value = sent.pop(name, None)
            if other is not None and value is not None:
                sent.setdefault(other, value)
        return sent

    def learn(self, failure: ProviderFailure, sent: Mapping[str, Any]) -> bool:
        """Tell whether the request that failed can be sent otherwise, and remember how."""
        name = failure.parameter
        if name is None or name not in sent or name not in self._optional:
            return False
        other = self._other_names.get(name)
        if other is None and name == BOUND:
            return False
        self.changes[name] = other
        return True

    def told(self) -> list[str]:
        """What is sent otherwise, in words, in the order in which it was found."""
        return [
            f"refuses {name}: " + ("asked without it" if other is None else f"it is sent as {other}")
            for name, other in self.changes.items()
        ]

"""Error rates that docs/ promise, held by as few simulated data sets as tell them from twice as much.

A rate that is what was promised passes with a probability of .999, and one of twice as much fails with .9.
"""

from collections.abc import Iterable
from functools import cache
from math import log

from scipy import stats

PASSES, FAILS = 0.999, 0.9
ERRORS = 2.6
# of the sequential test, and how many times the fewest data sets it may take: it then keeps both, by enumeration
ALPHA, BETA, LONGER = 0.0005, 0.06, 1.2


@cache
def fewest(promised: float = 0.05) -> int:
    """Data sets that it takes: 501 at .05."""
    n = 1
    while stats.binom.sf(_most(n, promised), n, 2 * promised) < FAILS:
        n += 1
    return n


def most(n: int, promised: float = 0.05) -> int:
    """How many of n data sets may be wrong.

    Raises:
        ValueError: n are too few to tell the rate from twice as much.
    """
    if n < fewest(promised):
        raise ValueError(f"{n} data sets tell {promised:g} from twice as much less often than in {FAILS:g}")
    return _most(n, promised)


def least(n: int, promised: float = 0.05) -> int:
    """How many of n data sets are wrong at least, where a rate is what was promised and not less."""
    return int(stats.binom.ppf(1 - PASSES, n, promised))


def share(n: int, promised: float = 0.05) -> float:
    """What most gives as a share of them, which is met exactly."""
    return most(n, promised) / n + 1e-9


def at_most(promised: float, n: int) -> float:
    """The largest share of n data sets that chance explains at the promised rate: ERRORS standard errors more."""
    return promised + ERRORS * (promised * (1 - promised) / n) ** 0.5


def _most(n: int, promised: float) -> int:
    return int(stats.binom.ppf(PASSES, n, promised))


def seldom(wrong: Iterable[bool], promised: float = 0.05) -> bool:
    """Whether data sets are wrong as seldom as promised, drawn one after another until that is known (Wald 1945).

    At the promised rate .05 it takes 168 on average, at .03 90, and 601 at most.

    Args:
        wrong: of each, whether it is; not asked for more than is needed.
        promised: the rate.

    Raises:
        ValueError: they end before it is known.
    """
    n_wrong = 0
    for n, is_wrong in enumerate(wrong, start=1):
        n_wrong += bool(is_wrong)
        if (told := verdict(n, n_wrong, promised)) is not None:
            return told
    raise ValueError(f"the data sets end before it is known; at most {_longest(promised)} are needed")


def verdict(n: int, n_wrong: int, promised: float) -> bool | None:
    """What is known after n data sets; None: not enough."""
    if n >= _longest(promised):
        return n_wrong <= _most(n, promised)
    evidence = n_wrong * log(2) + (n - n_wrong) * log((1 - 2 * promised) / (1 - promised))
    if log(BETA / (1 - ALPHA)) < evidence < log((1 - BETA) / ALPHA):
        return None
    return evidence < 0


def _longest(promised: float) -> int:
    return int(LONGER * fewest(promised))

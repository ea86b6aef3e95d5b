"""Seeded samples that do not depend on the order in which things come."""

import hashlib
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

_T = TypeVar("_T")
M = TypeVar("M")


def sample_per_stratum(
    items: Sequence[_T],
    stratum: Callable[[_T], Hashable],
    content: Callable[[_T], str],
    max_per_stratum: int | None,
    seed: int,
) -> list[_T]:
    """Keep at most so many items of each stratum, those whose hash of seed and content is smallest.

    Args:
        items: any order; the sample of a stratum is the same in every order.
        stratum: what the bound holds for, for example level and source tag.
        content: what an item is known by.
        max_per_stratum: None keeps all.
        seed: another seed gives another sample.

    Returns:
        The items kept, in the order given.
    """
    if max_per_stratum is None:
        return list(items)
    ranked = _ranked(items, stratum, content, seed)
    kept = {position for positions in ranked.values() for position in positions[:max_per_stratum]}
    return [item for position, item in enumerate(items) if position in kept]


def make_per_stratum(
    items: Sequence[_T],
    stratum: Callable[[_T], Hashable],
    content: Callable[[_T], str],
    max_per_stratum: int | None,
    seed: int,
    make: Callable[[Sequence[_T]], Sequence[M]],
    is_made: Callable[[M], bool],
) -> list[tuple[_T, M]]:
    """Make something of items until each stratum has as many as it may, in the order of sample_per_stratum.

    What is made is the same as of a sample of all that can be made, without trying more than that needs.

    Args:
        items: as sample_per_stratum takes them, like the next four.
        stratum: what the bound holds for.
        content: what an item is known by.
        max_per_stratum: None tries all items at once.
        seed: of the sample.
        make: is called with some of the items, then with others in place of those that failed.
        is_made: tells of one result whether it succeeded.

    Returns:
        The items tried, in the order given, each with its result.
    """
    if max_per_stratum is None:
        return list(zip(items, make(items), strict=True))
    waiting = _ranked(items, stratum, content, seed)
    n_made: Counter[Hashable] = Counter()
    tried: dict[int, M] = {}
    while batch := [
        position for key, positions in waiting.items() for position in positions[: max_per_stratum - n_made[key]]
    ]:
        results = dict(zip(batch, make([items[position] for position in batch]), strict=True))
        n_made.update(stratum(items[position]) for position, result in results.items() if is_made(result))
        tried |= results
        waiting = {key: [p for p in positions if p not in results] for key, positions in waiting.items()}
    return [(items[position], tried[position]) for position in sorted(tried)]


def _ranked(
    items: Sequence[_T], stratum: Callable[[_T], Hashable], content: Callable[[_T], str], seed: int
) -> dict[Hashable, list[int]]:
    """The positions of the items of each stratum, smallest hash first."""
    ranks: dict[Hashable, list[tuple[str, int]]] = {}
    for position, item in enumerate(items):
        digest = hashlib.sha256(f"{seed}\0{content(item)}".encode()).hexdigest()
        ranks.setdefault(stratum(item), []).append((digest, position))
    return {key: [position for _, position in sorted(ranked)] for key, ranked in ranks.items()}

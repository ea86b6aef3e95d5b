"""A seeded sample that does not depend on the order in which things come."""

import hashlib
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

T = TypeVar("T")


def sample_per_stratum(
    items: Sequence[T],
    stratum: Callable[[T], Hashable],
    content: Callable[[T], str],
    max_per_stratum: int | None,
    seed: int,
) -> list[T]:
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
    ranks: dict[Hashable, list[tuple[str, int]]] = {}
    for position, item in enumerate(items):
        digest = hashlib.sha256(f"{seed}\0{content(item)}".encode()).hexdigest()
        ranks.setdefault(stratum(item), []).append((digest, position))
    kept = {position for ranked in ranks.values() for _, position in sorted(ranked)[:max_per_stratum]}
    return [item for position, item in enumerate(items) if position in kept]

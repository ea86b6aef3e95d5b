"""tests/python_assets/infer/test_owner_draws.py - mirrors python_assets/infer/owner_draws.py."""

from collections import Counter
from itertools import permutations, product

import numpy as np

from python_assets.infer.draws.exchange import owner_draws

# two units of two groups and one of three in the first stratum, one of two groups in the second
STRATUM = np.array([0, 0, 0, 0, 0, 0, 0, 1, 1])
OWNER = np.array([3, 3, 5, 5, 8, 8, 8, 1, 1])


def drawn(n, stratum=STRATUM, owner=OWNER):
    draws = owner_draws(7, n, stratum, owner)
    return np.concatenate([draws.sources(batch) for batch in draws.batches])


def test_every_arrangement_of_units_and_of_groups_within_them_is_as_likely():
    n = 60_000
    seen = Counter(map(tuple, drawn(n).tolist()))
    alone = (permutations((4, 5, 6)), permutations((7, 8)))
    expected = [
        tuple(place for order in orders for place in order)
        for units, others in product(permutations([(0, 1), (2, 3)]), product(*map(list, alone)))
        for orders in product(*(permutations(unit) for unit in units), *([other] for other in others))
    ]
    assert set(seen) == set(expected)
    assert len(expected) == 96
    chance = n / 96
    spread = np.sqrt(chance)
    assert max(abs(count - chance) for count in seen.values()) < 5 * spread


def test_a_unit_keeps_its_groups_together_and_stays_in_its_stratum():
    sources = drawn(200)
    assert (np.sort(sources, axis=1) == np.arange(9)).all()
    owners = OWNER[sources]
    assert (owners[:, 0] == owners[:, 1]).all()
    assert (owners[:, 2] == owners[:, 3]).all()
    assert (owners[:, 4:7] == 8).all()
    assert (STRATUM[sources] == STRATUM).all()


def test_draws_do_not_depend_on_how_many_there_are():
    assert (drawn(300)[:256] == drawn(5_000)[:256]).all()

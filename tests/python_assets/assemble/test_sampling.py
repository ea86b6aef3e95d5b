from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from python_assets.assemble.sampling import make_per_stratum, sample_per_stratum

ITEMS = [(level, n) for level in "ab" for n in range(50)]


def sample(items, bound, seed=1):
    return sample_per_stratum(items, lambda item: item[0], lambda item: str(item[1]), bound, seed)


def test_no_bound_keeps_all():
    assert sample(ITEMS, None) == ITEMS


def test_the_bound_holds_in_every_stratum():
    assert Counter(level for level, _ in sample(ITEMS, 7)) == {"a": 7, "b": 7}
    assert len(sample(ITEMS, 60)) == 100


@given(st.permutations(ITEMS))
def test_the_order_of_items_changes_nothing(items):
    assert set(sample(items, 7)) == set(sample(ITEMS, 7))


def test_a_larger_bound_keeps_what_a_smaller_kept():
    assert set(sample(ITEMS, 7)) < set(sample(ITEMS, 8))


def test_another_seed_gives_another_sample():
    assert set(sample(ITEMS, 7, seed=1)) != set(sample(ITEMS, 7, seed=2))


def test_every_item_is_sampled_equally_often():
    n = 2_000
    counts = Counter(item for seed in range(n) for item in sample(ITEMS, 5, seed))
    # 100 binomial counts with p = 0.1: within 4.5 standard deviations, all of them, with probability 0.999
    assert all(abs(counts[item] - 0.1 * n) < 4.5 * (n * 0.09) ** 0.5 for item in ITEMS)


def made(items, bound, succeeds=lambda n: n % 3 > 0):
    """What of each item was tried, and with how many items make was called."""
    calls = []

    def make(batch):
        calls.append(len(batch))
        return [item[1] if succeeds(item[1]) else None for item in batch]

    tried = make_per_stratum(
        items, lambda item: item[0], lambda item: str(item[1]), bound, 1, make, lambda result: result is not None
    )
    return tried, calls


def test_what_is_made_is_the_sample_of_all_that_can_be_made():
    tried, calls = made(ITEMS, 7)
    assert [item for item, result in tried if result is not None] == sample([i for i in ITEMS if i[1] % 3], 7)
    assert sum(calls) == len(tried) < len(ITEMS)
    assert calls[0] == 14


def test_no_bound_tries_all_items_at_once():
    tried, calls = made(ITEMS, None)
    assert [item for item, _ in tried] == ITEMS
    assert calls == [100]


def test_a_stratum_in_which_too_little_succeeds_is_tried_to_its_end():
    tried, _ = made(ITEMS, 7, succeeds=lambda n: n < 3)
    assert len(tried) == 100
    assert sum(result is not None for _, result in tried) == 6


def test_where_nothing_is_to_be_made_nothing_is_tried():
    assert made([], 7) == ([], [])


@given(st.permutations(ITEMS))
def test_the_order_of_items_changes_nothing_of_what_is_made(items):
    assert set(made(items, 7)[0]) == set(made(ITEMS, 7)[0])

"""By how much a crossing differs more than its parts, against every arrangement by hand."""

import itertools

import numpy as np
import pytest

from bench.error_rates import simulated
from bench.error_rates.simulated import Layout
from python_assets.infer.contrasts.amplification import amplification, draws_within
from python_assets.infer.design.cells import GroupingPart
from python_assets.infer.draws.exchange import given_draws
from python_assets.infer.result import InferenceReason
from tests.promises import fewest, share

# groups: Female x Chinese, Female x Malay, Male x Chinese, Male x Malay
GENDER = GroupingPart("gender", np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
RACE = GroupingPart("race", np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1]))


def two_labels(yes):
    """Shares of yes and no, shape (cells, measures, 2), from those of yes of shape (root prompts, groups, ...)."""
    yes = np.asarray(yes, dtype=float)
    yes = yes.reshape(yes.shape[0] * yes.shape[1], -1)
    return np.stack([yes, 1 - yes], axis=2)


def excess(yes):
    """IDI less the larger of both FDI by hand; shares of yes, shape (root prompts, 4)."""
    groups = yes.mean(axis=0)

    def fdi(of):
        return abs(np.array(of) - np.mean(of)).mean()  # of two labels half the sum of both distances is one of them

    gender, race = [groups[:2].mean(), groups[2:].mean()], [groups[::2].mean(), groups[1::2].mean()]
    return fdi(groups) - max(fdi(gender), fdi(race))


def test_floor_is_of_every_arrangement_within_the_levels_of_the_larger_part():
    yes = np.array([[0.9, 0.4, 0.2, 0.3], [0.8, 0.7, 0.1, 0.4], [0.6, 0.9, 0.3, 0.0]])
    swaps = [(0, 1, 2, 3), (1, 0, 2, 3), (0, 1, 3, 2), (1, 0, 3, 2)]  # gender, the larger part, keeps its cells
    by_hand = np.array(
        [excess(np.stack([row[list(p)] for row, p in zip(yes, of, strict=True)]))
         for of in itertools.product(swaps, repeat=3)]
    )  # fmt: skip
    sources = np.array(
        [np.concatenate([4 * r + np.array(p) for r, p in enumerate(of)]) for of in itertools.product(swaps, repeat=3)]
    )
    asked = []

    def every(part):
        asked.append(part.grouping_id)
        return given_draws(sources)

    means = simulated.scheme_of(Layout(3, 4), 9).means
    found = amplification(means, two_labels(yes), [RACE, GENDER], every)
    assert asked == ["gender"]
    assert found.value[0] == pytest.approx(excess(yes), abs=1e-12)
    assert (found.null_median[0], found.null_q95[0]) == pytest.approx(np.quantile(by_hand, (0.5, 0.95)), abs=1e-12)
    assert found.n_draws[0] == 64


def test_random_draws_stay_within_blocks_and_levels():
    scheme = simulated.scheme_of(Layout(7, 4), 199)
    draws = draws_within(scheme, GENDER.level, seed=3)
    source = np.concatenate([draws.sources(batch) for batch in draws.batches])
    place = np.arange(28)
    assert (source // 2 == place // 2).all()  # cells 0 and 1 of a block are Female, 2 and 3 Male
    assert 0.4 < (source != place).mean() < 0.6


def test_a_combination_that_does_not_occur_leaves_the_parts_compared_where_both_levels_do():
    gender = GroupingPart("gender", np.array([0, 0, 1]), np.array([0, 1, 0]))  # no Male x Malay
    yes = np.array([[0.9, 0.1, 0.5], [0.7, 0.3, 0.3]])
    scheme = simulated.scheme_of(Layout(2, 3), 9)
    found = amplification(scheme.means, two_labels(yes), [gender], lambda part: draws_within(scheme, part.level, 1))
    groups = yes.mean(axis=0)
    of_gender = abs(groups[0] - groups[2]) / 2  # Chinese alone have both
    assert found.value[0] == pytest.approx(abs(groups - groups.mean()).mean() - of_gender)


def test_levels_that_no_other_factor_connects_have_no_excess():
    apart = GroupingPart("gender", np.array([0, 1]), np.array([0, 1]))  # Female x Chinese, Male x Malay
    scheme = simulated.scheme_of(Layout(5, 2), 9)
    found = amplification(scheme.means, two_labels(np.ones((5, 2))), [apart], lambda part: scheme.draws)
    assert found.reason.tolist() == [InferenceReason.NOT_CONNECTED]
    assert np.isnan(found.null_q95).all()


@pytest.mark.run
def test_what_one_factor_does_alone_is_past_the_floor_in_one_of_twenty_and_what_both_do_is_found():
    rng, layout, n_sets = np.random.default_rng(7), Layout(40, 4), fewest()
    scheme = simulated.scheme_of(layout, 999)

    def past_floor(rates):
        prompt = rng.normal(0, 0.1, size=(40, 1, n_sets))
        yes = rng.random((40, 4, n_sets)) < np.clip(np.array(rates)[:, None] + prompt, 0, 1)
        found = amplification(
            scheme.means, two_labels(yes), [GENDER, RACE], lambda part: draws_within(scheme, part.level, 1)
        )
        return (found.value > found.null_q95 + 1e-9).mean()

    assert past_floor([0.7, 0.7, 0.3, 0.3]) <= share(n_sets)
    assert past_floor([0.5, 0.5, 0.5, 0.5]) <= share(n_sets)
    assert past_floor([0.75, 0.25, 0.25, 0.75]) > 0.95

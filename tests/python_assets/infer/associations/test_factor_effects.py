"""Factors and pairs of a grouping, whole prompts at a time, against every arrangement in plain loops."""

from itertools import combinations, product

import duckdb
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.linalg import helmert
from statsmodels.stats.oneway import anova_oneway

from bench.bench_factor_effects import PAIRS, TOPICS, share_significant
from python_assets.infer.associations.factor_effects import (
    BY_F,
    BY_SQUARES,
    T2_BY_FLIPS,
    exchange_test,
    factor_effects,
    flip_test,
)
from python_assets.study.base import grouping_id
from tests.promises import fewest, most, share

RACES, ROLES = ("a", "b", "c"), ("judge", "none")
GROUPING = "race x role"


def keys_of(grouping=GROUPING):
    return {
        "study_id": "s",
        "slice_id": "all",
        "system_id": "g",
        "measure_id": "m",
        "grouping_id": grouping,
        "category": "",
    }


PLACE = tuple(keys_of().values())


def build(rows, grouping=GROUPING, *, scheme="blocked", root_prompts=None):
    """A build file of rows (root prompt, levels, value); units ask root prompts of their own, or the same."""
    cells = pd.DataFrame(rows, columns=["root_position", "levels", "cell_mean"])
    cells["group_id"] = cells.levels.map(grouping_id)
    groups = sorted(cells.group_id.unique())
    cells["group_position"] = cells.group_id.map(groups.index)
    cells = cells.assign(calibration="raw", statistic="mean", parameters="", **keys_of(grouping))
    places = cells[["slice_id", "grouping_id", "group_position", "group_id", "root_position"]].assign(
        scheme=scheme, root_prompt_position=cells.root_position if root_prompts is None else root_prompts
    )
    connection = duckdb.connect()
    connection.execute("create schema intermediate")
    connection.register("made_cells", cells.drop(columns=["levels", "group_id"]))
    connection.register("made_places", places)
    connection.execute("create table intermediate.int_cells as from made_cells")
    connection.execute("create table intermediate.int_prompt_groups as from made_places")
    return connection


def crossed(values, *, missing=()):
    """Rows of cells (prompts, races, roles), two blocks each, without those that are missing."""
    return [
        (root, group, values[root].ravel()[place] + block)
        for root in range(len(values))
        for place, group in enumerate(product(RACES, ROLES))
        for block in (-0.3, 0.3)
        if (root, group) not in missing
    ]


def made(n_prompts=8, seed=4):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_prompts, 3, 2)) + rng.normal(size=(n_prompts, 1, 1))


def t2(contrasts):
    mean, covariance = contrasts.mean(axis=0), np.atleast_2d(np.cov(contrasts, rowvar=False))
    return len(contrasts) * mean @ np.linalg.solve(covariance, mean)


def exact(contrasts, statistic=t2):
    """Share of all arrangements of signs whose statistic is as large; seed-free."""
    every = [statistic(np.array(signs)[:, None] * contrasts) for signs in product([1, -1], repeat=len(contrasts))]
    return np.mean(np.array(every) >= statistic(contrasts) - 1e-9)


def effects_of(connection, n_draws=9_999):
    """Effects by their keys, each with the fields of its one row."""
    found = factor_effects(connection, seed=1, n_draws=n_draws)
    assert all(effect.p_value.shape == (1,) for effect in found.values())
    return {key: effect._make(field[0] for field in effect) for key, effect in found.items()}


def test_each_factor_and_their_pair_have_the_p_of_every_arrangement():
    values = made()
    found = effects_of(build(crossed(values)))
    assert {key[-1] for key in found} == {"race", "role", "race x role"}
    # any full set of contrasts gives the same T2: differences from the first level
    race, role = values.mean(axis=2), values.mean(axis=1)
    pair = values[:, :, 0] - values[:, :, 1]
    for term, contrasts in {
        "race": race[:, 1:] - race[:, :1],
        "role": role[:, 1:] - role[:, :1],
        "race x role": pair[:, 1:] - pair[:, :1],
    }.items():
        assert found[*PLACE, term].p_value == pytest.approx(exact(contrasts), abs=1e-12)


def test_an_effect_of_one_factor_is_not_taken_for_the_other_or_the_pair():
    values = made(n_prompts=25)
    values[:, 1] += 2
    found = effects_of(build(crossed(values)))
    assert found[*PLACE, "race"].p_value <= 0.001
    assert found[*PLACE, "race"].null_q95 < 1 < found[*PLACE, "role"].null_q95 * 20
    assert min(found[*PLACE, "role"].p_value, found[*PLACE, "race x role"].p_value) > 0.05


def test_a_role_that_moves_one_race_alone_is_the_effect_of_the_pair():
    values = made(n_prompts=25)
    values[:, 2, 0] += 3
    assert effects_of(build(crossed(values)))[*PLACE, "race x role"].p_value <= 0.001


def test_prompts_without_a_combination_are_left_out():
    values = made(n_prompts=10)
    found = effects_of(build(crossed(values, missing={(0, ("a", "judge")), (9, ("c", "none"))})))
    assert found[*PLACE, "race"].scope == "similar prompts"
    race = values[1:9].mean(axis=2)
    assert found[*PLACE, "race"].p_value == pytest.approx(exact(race[:, 1:] - race[:, :1]), abs=1e-12)


def test_a_combination_that_no_prompt_has_leaves_nothing_to_flip_and_says_so():
    found = effects_of(build(crossed(made(), missing={(root, ("a", "judge")) for root in range(8)})))
    assert {effect.reason for effect in found.values()} == {"incomplete_prompts"}
    assert all(np.isnan(effect.p_value) for effect in found.values())


def test_no_more_prompts_than_contrasts_and_equal_cells_have_a_reason():
    assert effects_of(build(crossed(made(2))))[*PLACE, "race"].reason == "incomplete_prompts"
    assert effects_of(build(crossed(np.ones((8, 3, 2)))))[*PLACE, "race"].reason == "no_variation"


# contrasts alone, whose signs are flipped


def contrasts_of(n, q, shift=0.0, seed=1):
    return np.random.default_rng(seed).normal(size=(n, q)) + shift


def flipped(contrasts, **options):
    """The fields of the one row."""
    found = flip_test(contrasts, **options)
    return found._make(field[0] for field in found)


@pytest.mark.parametrize(("n", "q", "shift"), [(8, 2, 0.0), (9, 3, 0.6), (7, 1, 0.4)])
def test_p_is_that_of_every_arrangement_of_signs(n, q, shift):
    contrasts = contrasts_of(n, q, shift)
    found = flipped(contrasts, n_draws=9_999, seed=1)
    assert found.method == T2_BY_FLIPS
    assert found.p_value == pytest.approx(exact(contrasts), abs=1e-12)


def test_of_one_contrast_it_is_the_flipped_t():
    contrasts = contrasts_of(10, 1, 0.5)
    t = abs(stats.ttest_1samp(contrasts[:, 0], 0).statistic)
    found = flipped(contrasts, n_draws=9_999, seed=1)
    p = exact(contrasts, lambda x: abs(stats.ttest_1samp(x[:, 0], 0).statistic))
    assert t > 0 and found.p_value == pytest.approx(p)


def test_random_flips_come_near_to_all():
    contrasts = contrasts_of(12, 2, 0.3)
    p = exact(contrasts)
    found = flipped(contrasts, n_draws=3_999, seed=3)
    assert found.p_value == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 3_999))


def test_many_contrasts_take_the_sum_of_squared_t():
    contrasts = contrasts_of(7, 6, 0.5)
    found = flipped(contrasts, n_draws=9_999, seed=1)
    assert found.method == BY_SQUARES

    def squares(x):
        return sum(stats.ttest_1samp(column, 0).statistic ** 2 for column in x.T)

    assert found.p_value == pytest.approx(exact(contrasts, squares), abs=1e-12)


def test_few_prompts_take_the_distribution_of_t2_and_too_few_have_no_p():
    contrasts = contrasts_of(5, 2, 1.0)
    found = flipped(contrasts, n_draws=999, seed=1)
    assert found.method == BY_F
    assert found.p_value == pytest.approx(stats.f.sf(t2(contrasts) * 3 / (2 * 4), 2, 3))
    assert np.isnan(flipped(contrasts_of(2, 2), n_draws=99, seed=1).p_value)


def test_contrasts_that_are_all_0_have_no_p():
    assert np.isnan(flipped(np.zeros((9, 2)), n_draws=99, seed=1).p_value)


@pytest.mark.run
def test_nothing_is_found_more_often_than_alpha():
    rng = np.random.default_rng(8)
    n_sets = fewest()
    for n_prompts in (6, 12):
        # exponential cells, one three times as wide
        cells = (rng.exponential(size=(n_sets, n_prompts, 4)) - 1) * [3, 1, 1, 1]
        contrasts = cells @ helmert(4).T
        p = np.array([flipped(one, n_draws=199, seed=s).p_value for s, one in enumerate(contrasts)])
        assert (p <= 0.05).sum() <= most(n_sets)


# factors that part root prompts: topics, each of which has root prompts of its own, asked of every gender

SPLIT = "topic x gender"
SPLIT_PLACE = tuple(keys_of(SPLIT).values())
GENDERS = ("f", "m", "o")


def split(topics, seed=2):
    """Rows of topics and genders, and their means (prompts, genders)."""
    values = np.random.default_rng(seed).normal(size=(len(topics), len(GENDERS)))
    return [
        (root, (f"t{topics[root]}", gender), values[root, at])
        for root in range(len(topics))
        for at, gender in enumerate(GENDERS)
    ], values


def welch(x, topic):
    """Welch's statistic of vectors, with the trace of their covariance for the variance."""
    weights, means = [], []
    for one in np.unique(topic):
        part = x[topic == one]
        weights.append(len(part) / part.var(axis=0, ddof=1).sum())
        means.append(part.mean(axis=0))
    weights, means = np.array(weights), np.array(means)
    centre = weights @ means / weights.sum()
    return (weights * ((means - centre) ** 2).sum(axis=1)).sum()


def every_topic(topic):
    """Every way to deal root prompts to two topics of these sizes."""
    for first in combinations(range(len(topic)), int((topic == 0).sum())):
        dealt = np.ones(len(topic), dtype=int)
        dealt[list(first)] = 0
        yield dealt


TOPIC = np.repeat([0, 1], [5, 6])


def test_a_factor_that_parts_root_prompts_is_tested_by_exchanging_them(snapshot):
    rows, values = split(TOPIC)
    found = effects_of(build(rows, SPLIT))[*SPLIT_PLACE, "topic"]
    x = values.mean(axis=1, keepdims=True)
    seen = welch(x, TOPIC)
    exchanged = np.mean([welch(x, dealt) >= seen - 1e-9 for dealt in every_topic(TOPIC)])
    of_f = anova_oneway([x[one == TOPIC, 0] for one in (0, 1)], use_var="unequal").pvalue
    assert found.p_value == pytest.approx(max(exchanged, of_f), abs=0.02)
    assert found.method == snapshot


@pytest.mark.parametrize("sizes", [(9, 4), (6, 5, 7), (4, 4, 12, 5)])
def test_it_is_never_bolder_than_welchs_f(sizes):
    topic = np.repeat(np.arange(len(sizes)), sizes)
    rng = np.random.default_rng(len(sizes))
    for _ in range(20):
        x = rng.normal(size=len(topic)) * (1 + 3 * (topic == 0)) + (topic == 1)
        p = exchange_test(x[:, None], topic, np.zeros_like(topic), n_draws=199, seed=1).p_value[0]
        expected = anova_oneway([x[topic == one] for one in range(len(sizes))], use_var="unequal").pvalue
        assert p >= expected - 1e-12


def test_its_pair_with_one_that_varies_inside_exchanges_the_contrasts():
    rows, values = split(TOPIC)
    found = effects_of(build(rows, SPLIT))
    x = values - values.mean(axis=1, keepdims=True)
    seen = welch(x, TOPIC)
    exchanged = np.mean([welch(x, dealt) >= seen - 1e-9 for dealt in every_topic(TOPIC)])
    assert found[*SPLIT_PLACE, "topic x gender"].p_value == pytest.approx(exchanged, abs=0.02)
    gender = values[:, 1:] - values[:, :1]
    assert found[*SPLIT_PLACE, "gender"].p_value == pytest.approx(exact(gender), abs=1e-12)


def test_each_effect_is_found_where_it_is():
    topic = np.repeat([0, 1, 2], 10)
    for term, at in (("topic", (topic == 1)[:, None]), ("gender", np.array([[0, 0, 1]]))):
        rows, values = split(topic)
        shifted = [
            (root, levels, x + 3 * np.broadcast_to(at, values.shape).ravel()[place])
            for place, (root, levels, x) in enumerate(rows)
        ]
        found = effects_of(build(shifted, SPLIT), n_draws=999)
        assert {key[-1] for key, effect in found.items() if effect.p_value <= 0.01} == {term}
    both = [(root, levels, x + 3 * (levels == ("t1", "o"))) for root, levels, x in rows]
    assert effects_of(build(both, SPLIT), n_draws=999)[*SPLIT_PLACE, "topic x gender"].p_value <= 0.01


def test_prompts_change_places_within_the_levels_of_other_factors_that_part_them():
    grouping = "topic x tongue"
    topic, tongue = np.tile([0, 1], 12), np.repeat([0, 1], 12)
    x = np.random.default_rng(3).normal(size=24) + 50 * tongue
    levels = [(f"t{a}", f"l{b}") for a, b in zip(topic, tongue, strict=True)]
    found = effects_of(build(list(zip(range(24), levels, x, strict=True)), grouping))
    place = tuple(keys_of(grouping).values())
    within = x - np.array([x[tongue == one].mean() for one in (0, 1)])[tongue]
    plain = exchange_test(within[:, None], topic, tongue, n_draws=9_999, seed=9)
    assert found[*place, "topic"].p_value == pytest.approx(plain.p_value[0], abs=0.02)
    assert found[*place, "tongue"].p_value <= 0.001
    assert found[*place, "topic x tongue"].reason == "no_exchange"


@pytest.mark.parametrize(
    ("topics", "reason"), [([0] * 3 + [1] * 12, "too_few_units"), ([0] * 12, "one_group"), ([0] * 4 + [1] * 12, None)]
)
def test_too_few_root_prompts_of_a_level_and_a_single_level_have_a_reason(topics, reason):
    found = effects_of(build(split(np.array(topics))[0], SPLIT), n_draws=99)
    assert found[*SPLIT_PLACE, "topic"].reason == found[*SPLIT_PLACE, "topic x gender"].reason == reason
    assert found[*SPLIT_PLACE, "gender"].reason is None


def test_units_that_share_prompts_speak_of_these_and_mixed_units_of_nothing():
    rows, _ = split(TOPIC)
    shared = [at % 3 for at in range(len(rows))]
    found = effects_of(build(rows, SPLIT, scheme="nested", root_prompts=shared), n_draws=99)
    assert {effect.scope for effect in found.values()} == {"similar units, these prompts"}
    mixed = effects_of(build(rows, SPLIT, scheme="mixed_units"), n_draws=99)
    assert {effect.reason for effect in mixed.values()} == {"mixed_units"}


@pytest.mark.run
@pytest.mark.parametrize("name", [*PAIRS, *TOPICS])
def test_no_effect_is_found_more_often_than_alpha(name):
    assert share_significant((PAIRS | TOPICS)[name], fewest(), seed=1) <= share(fewest())


def test_few_prompts_that_differ_by_the_same_amount_have_no_p():
    found = flip_test(np.full((5, 1), 0.2), n_draws=99, seed=1)
    assert found.reason[0] == "no_error"
    assert np.isnan(found.p_value[0]) and found.null_q95[0] > 0

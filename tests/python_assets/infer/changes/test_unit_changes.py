"""Groups of units of one group each that moved against each other, against plain loops."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bench.bench_unit_changes import DESIGNS
from bench.bench_unit_changes import found as significant_of
from python_assets.infer.run import infer_study
from tests.promises import fewest, share
from tests.python_assets.infer.changes.test_infer_changes import of, two
from tests.python_assets.infer.test_run import analysis, rows

N, K = 4, 3
GROUP = np.repeat(np.arange(K), N)


def table(values, group=GROUP, n_groups=K):
    """One unit a row, with a value in its group alone."""
    x = np.full((len(values), n_groups), np.nan)
    x[np.arange(len(values)), group] = values
    return x


def made(seed=1, n=N * K):
    return np.random.default_rng(seed).normal(size=(2, n))


def written(study, own, other, *, strata=0, **options):
    connection = two(study, table(own), table(other)).write(strata=np.full(len(own), strata))
    infer_study(connection, analysis(**options))
    return rows(connection, "system_comparisons")


def contrast(d, group, one):
    """Group minus the mean of the others' means, Welch's error and its degrees of freedom."""
    is_in = group[..., None, :] == np.arange(K)[:, None]
    means = (is_in * d).sum(axis=-1) / N
    variances = (is_in * (d - means[..., None]) ** 2).sum(axis=-1) / (N - 1) / N
    weights = np.where(np.arange(K) == one, 1, -1 / (K - 1))
    parts = weights**2 * variances
    df = parts.sum(axis=-1) ** 2 / (parts**2 / (N - 1)).sum(axis=-1)
    return means @ weights, np.sqrt(parts.sum(axis=-1)), df


def every_arrangement():
    """Every way to deal twelve units to three groups of four."""
    everyone = set(range(N * K))
    for first in combinations(range(N * K), N):
        for second in combinations(sorted(everyone - set(first)), N):
            group = np.full(N * K, 2)
            group[list(first)], group[list(second)] = 0, 1
            yield group


def test_groups_changed_is_the_contrast_of_what_changed_in_their_units(study):
    own, other = made()
    own[:N] += 6
    found = written(study, own, other)
    groups = of(found, "disparity_change").set_index("group_id")
    d = own - other
    for one, group_id in enumerate(groups.index):
        value, error, df = contrast(d, GROUP, one)
        half = stats.t.isf(0.025, df) * error
        row = groups.loc[group_id]
        assert row.value == pytest.approx(value)
        assert (row.value_a, row.value_b) == pytest.approx(
            (contrast(own, GROUP, one)[0], contrast(other, GROUP, one)[0])
        )
        assert (row.ci_low, row.ci_high) == pytest.approx((value - half, value + half))
        assert row.n_root_prompts == N * K
        assert row.method.startswith("changes of units: permuted t")
    (moved,) = of(found, "groups_changed").itertuples()
    assert moved.value == pytest.approx(groups.value.abs().max())
    assert (moved.family_id, moved.n_root_prompts) == ("comparison", N * K)
    assert moved.verdict == groups.verdict["g0"] == "different"
    assert of(found, "group_change").p_value.notna().all()
    (spread,) = of(found, "dispersion_change").itertuples()
    assert (spread.reason, spread.inference_reason) == ("no_block", "no_shared_block")
    assert (groups.q_value >= moved.q_value).all()
    assert groups.verdict.notna().all()


def test_p_is_the_larger_of_t_and_of_every_way_to_deal_units_to_groups(study):
    own, other = made(seed=6)
    d = own - other
    groups = of(written(study, own, other, n_permutations=4_999), "disparity_change").set_index("group_id")
    seen = [contrast(d, GROUP, one) for one in range(K)]
    dealt, n_as_large = np.array([*every_arrangement()]), []
    for one, (value, error, _) in enumerate(seen):
        drawn, drawn_error, _ = contrast(d, dealt, one)
        n_as_large.append((abs(drawn / drawn_error) >= abs(value / error) - 1e-9).sum())
    of_t = np.array([2 * stats.t.sf(abs(value / error), df) for value, error, df in seen])
    expected = np.maximum(of_t, np.array(n_as_large) / len(dealt))
    assert groups.p_value.to_numpy() == pytest.approx(expected, abs=0.025)


def test_a_change_of_all_units_alike_moves_no_group(study):
    own, other = made()
    before = of(written(study, own, other), "disparity_change")
    after = of(written(type(study)(), own + 7, other), "disparity_change")
    for name in ("value", "p_value", "q_value", "ci_low"):
        assert after[name].to_numpy() == pytest.approx(before[name].to_numpy())


def test_units_are_compared_in_their_stratum(study):
    own, other = made()
    group = np.tile([0, 0, 1, 1, 2, 2], 2)
    stratum = np.repeat([0, 1], 6)
    own[stratum == 1] += 5 * (group[stratum == 1] == 0) + 3
    study = two(study, table(own, group), table(other, group))
    connection = study.write(strata=stratum)
    infer_study(connection, analysis())
    groups = of(rows(connection, "system_comparisons"), "disparity_change").set_index("group_id")
    d = own - other
    mean = np.array([[d[(group == g) & (stratum == s)].mean() for g in range(3)] for s in (0, 1)])
    assert groups.value["g0"] == pytest.approx((mean[:, 0] - mean[:, 1:].mean(axis=1)).mean())


def test_groups_of_few_units_have_values_and_a_reason_in_place_of_p(study):
    own, other = made(n=9)
    group = np.repeat(np.arange(K), 3)
    connection = two(study, table(own, group), table(other, group)).write(strata=np.zeros(9))
    infer_study(connection, analysis())
    found = rows(connection, "system_comparisons")
    assert set(of(found, "disparity_change").inference_reason) == {"too_few_units"}
    assert of(found, "disparity_change").value.notna().all()
    (moved,) = of(found, "groups_changed").itertuples()
    assert (moved.inference_reason, moved.verdict) == ("too_few_units", "not_tested")
    assert np.isnan(moved.p_value) and moved.value > 0


def test_all_labels_of_units_are_one_hypothesis(study):
    rng = np.random.default_rng(5)
    for name in ("old", "new"):
        is_yes = rng.random(N * K) < 0.5
        for category, is_label in (("yes", is_yes), ("no", ~is_yes)):
            study.add("answer", table(is_label), kind="categorical", category=category, system_id=name)
    connection = study.write(strata=np.zeros(N * K))
    infer_study(connection, analysis())
    found = rows(connection, "system_comparisons")
    groups = of(found, "disparity_change")
    assert len(of(found, "groups_changed")) == 1
    assert set(groups.category) == {"yes", "no"}
    by_label = groups.pivot(index="group_id", columns="category", values="value")
    assert by_label.yes.to_numpy() == pytest.approx(-by_label.no.to_numpy())
    assert set(groups.inference_reason) == {"approximate"}  # rates of four units a group


def test_units_that_vary_in_part_of_the_grouping_have_values_and_no_p(study):
    # eight names, each asked with both nationalities; four groups of gender and nationality
    unit = np.repeat(np.arange(8), 2)
    group = 2 * (unit % 2) + np.tile([0, 1], 8)
    own, other = (table(x, group, 4) for x in made(n=16))
    connection = two(study, own, other).write(blocks_of_root=2, strata=np.zeros(8))
    connection.execute("update intermediate.int_prompt_groups set scheme = 'partly_nested'")
    infer_study(connection, analysis())
    found = rows(connection, "system_comparisons")
    moved = found[found.comparison.isin(["disparity_change", "groups_changed"])]
    assert len(moved) == 5
    assert set(moved.inference_reason) == {"partly_nested"}
    assert moved.value.notna().all() and moved.p_value.isna().all()


def test_equal_answers_move_no_group(study):
    own, _ = made()
    texts = [f"answer {at}" for at in range(12)]
    study = two(study, table(own), table(own)).answer(old=texts, new=texts)
    connection = study.write(strata=np.zeros(12))
    infer_study(connection, analysis())
    (moved,) = of(rows(connection, "system_comparisons"), "groups_changed").itertuples()
    assert (moved.value, moved.p_value, moved.inference_reason) == (0, 1, "identical_responses")


def test_units_that_both_answered_in_one_group_alone_are_no_comparison(study):
    own, other = made()
    own[N:] = np.nan
    found = written(study, own, other)
    (moved,) = of(found, "groups_changed").itertuples()
    assert (moved.reason, moved.inference_reason) == ("no_block", "one_group")


def test_log_odds_of_units_in_one_group_each_have_no_change_but_a_reason(study):
    for name, values in zip(("old", "new"), np.random.default_rng(3).random((2, 12)) < 0.5, strict=True):
        study.add("biased", table(values), kind="binary", system_id=name)
    connection = study.write(strata=np.zeros(12))
    infer_study(connection, analysis())
    odds = of(rows(connection, "system_comparisons"), "log_disparity_change")
    assert set(odds.reason) == {"no_block"}
    assert set(odds.inference_reason) == {"scheme_not_available"}
    assert odds[["value", "p_value"]].isna().all(axis=None)


@pytest.mark.run
@pytest.mark.parametrize("name", list(DESIGNS))
def test_no_group_moves_more_often_than_alpha_where_none_did(name):
    assert significant_of(DESIGNS[name], fewest(), seed=3) <= share(fewest())


def test_units_of_groups_that_stay_are_held_against_each_other(study):
    n, k = 12, 4
    own, other = made(seed=3, n=n * k)
    own, other = 0.3 * own, 0.3 * other
    group = np.repeat(np.arange(k), n)
    own[group == 2] += 2
    connection = two(study, table(own, group, k), table(other, group, k)).write(strata=np.zeros(n * k))
    infer_study(connection, analysis(n_permutations=999))
    found = of(rows(connection, "system_comparisons"), "disparity_change").set_index("group_id")
    assert found.index[found.verdict == "different"].tolist() == ["g2"]
    assert set(found.explained_by[found.q_value <= 0.05].dropna()) == {"g2"}
    means = pd.Series(own - other).groupby(group).mean()
    stay = [0, 1, 3]
    for one in range(k):
        expected = means[one] - means[[other for other in stay if other != one]].mean()
        assert found.value_alone[f"g{one}"] == pytest.approx(expected)
    assert (found.ci_low_alone < found.value_alone).all()

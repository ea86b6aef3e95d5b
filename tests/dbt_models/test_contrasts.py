"""Contrasts of the marts against plain loops over the raw tables: every reference, every statistic."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import special
from scipy.spatial.distance import jensenshannon

from tests.dbt_models.conftest import Built
from tests.dbt_models.irregular_study import REFERENCES, REQUESTED_CONTRASTS
from tests.dbt_models.reference import (
    MIN_VALUES,
    PAIRED,
    REFERENCE,
    Comparison,
    compared_means,
    differences,
)
from tests.dbt_models.test_statistics import (
    KEYS,
    Row,
    assert_responses,
    key_of,
    kind_of,
    lookup,
    range_of,
)

ROW = [*KEYS, "group_id", "contrast", "category", "reference"]
SHARES = ("selection_rate_difference", "precision_difference")


@pytest.fixture(scope="module")
def rows(built: Built) -> dict[tuple[str, ...], Row]:
    return lookup(built.table("marts.contrasts"), ROW)


def references_of(comparison: Comparison, group: str) -> list[str]:
    against, level = REFERENCES[comparison.keys["grouping_id"]]
    if against == "all_pairs":
        return [other for other in comparison.groups if other != group]
    return [level] * (group != level) if against == "level" else [against]


def expected_rows(comparison: Comparison) -> list[tuple[str, str]]:
    return [(group, other) for group in comparison.groups for other in references_of(comparison, group)]


def difference_reason(comparison: Comparison, group: str, reference: str) -> str:
    n, n_all = len(comparison.values(group)), comparison.rows.x.count()
    if n == 0:
        return "no_values"
    if reference not in ("rest", "grand_mean") and not len(comparison.values(reference)):
        return "no_reference"
    return "no_complement" if n == n_all else "no_block"


def assert_value(row: Row, value: float | None, reason: str | None = None) -> None:
    if value is None:
        assert pd.isna(row.value)
        assert row.reason == reason
    else:
        assert row.value == pytest.approx(value, rel=1e-9, abs=1e-12)
        assert pd.isna(row.reason)


def test_differences_of_means_and_rates_for_every_reference(
    rows: dict[tuple[str, ...], Row], compared: list[Comparison]
):
    seen = Counter()
    for comparison in compared:
        contrast = "mean_difference" if kind_of(comparison) == "continuous" else "risk_difference"
        found = differences(comparison)
        for group, reference in expected_rows(comparison):
            row = rows[key_of(comparison, group, contrast, comparison.keys["category"], reference)]
            value, reason = found.get((group, reference)), difference_reason(comparison, group, reference)
            assert_value(row, value, reason)
            seen[comparison.keys["grouping_id"], reason if value is None else None] += 1
    assert all(seen[grouping, None] > 0 for grouping in REFERENCES)
    assert {reason for _, reason in seen} == {None, "no_values", "no_reference", "no_complement", "no_block"}


def compared_responses(comparison: Comparison, group: str, reference: str) -> tuple[float, float] | None:
    """Means of all responses of a group and of what it is compared with; None without either."""
    present = comparison.every_value
    is_own = present.group == group
    others = {"rest": ~is_own, "grand_mean": ~is_own | (~is_own).any()}
    own, other = present.x[is_own], present.x[others.get(reference, present.group == reference)]
    return None if own.empty or other.empty else (own.mean(), other.mean())


def assert_response_difference(row: Row, means: tuple[float, float] | None, divisor: float = 1) -> None:
    if means is None or divisor < 1e-9:
        assert pd.isna(row.value_responses)
    else:
        assert row.value_responses == pytest.approx((means[0] - means[1]) / divisor, rel=1e-9, abs=1e-9)


def test_differences_of_all_responses_for_every_reference(
    rows: dict[tuple[str, ...], Row], compared: list[Comparison]
):
    n_other_than_value = 0
    for comparison in compared:
        kind, category = kind_of(comparison), comparison.keys["category"]
        for group, reference in expected_rows(comparison):
            means = compared_responses(comparison, group, reference)
            contrast = "mean_difference" if kind == "continuous" else "risk_difference"
            row = rows[key_of(comparison, group, contrast, category, reference)]
            assert_response_difference(row, means)
            n_other_than_value += not row.value_responses == pytest.approx(row.value)
            if kind == "binary":
                row = rows[key_of(comparison, group, "log_disparity", "", reference)]
                has_odds = means is not None and min(p * (1 - p) for p in means) > 1e-12
                odds = (special.logit(means[0]), special.logit(means[1])) if means and has_odds else None
                assert_response_difference(row, odds)
        for group in comparison.groups if kind == "continuous" else []:
            row = rows[key_of(comparison, group, "dbi", "", "grand_mean")]
            means = compared_responses(comparison, group, "grand_mean")
            assert_response_difference(row, means, comparison.rows.x.std())
    assert n_other_than_value > 100


@pytest.mark.parametrize("contrast", SHARES)
def test_differences_of_selected_shares_of_all_responses(
    rows: dict[tuple[str, ...], Row], compared: list[Comparison], contrast: str
):
    n_checked = 0
    for comparison in (c for c in compared if kind_of(c) == "continuous"):
        selected = replace(comparison, rows=comparison.rows.assign(x=is_selected(comparison, contrast)))
        for group, reference in expected_rows(comparison):
            row = rows[key_of(comparison, group, contrast, "", reference)]
            means = compared_responses(selected, group, reference)
            assert_response_difference(row, means)
            n_checked += means is not None
    assert n_checked > 50


def test_a_contrast_has_one_row_for_each_reference_of_its_grouping(built: Built, compared: list[Comparison]):
    table = built.table("marts.contrasts")
    kept = table[table.contrast.isin(["mean_difference", "log_disparity", "log_disparity_haldane"])]
    found = Counter(kept.contrast)
    n_rows = Counter()
    for comparison in compared:
        n_rows[kind_of(comparison)] += len(expected_rows(comparison))
    assert found == {
        "mean_difference": n_rows["continuous"],
        "log_disparity": n_rows["binary"],
        "log_disparity_haldane": n_rows["binary"],
    }
    of_labels = {"risk_difference", "fdi_group", "jsd_group", "jsd_truth_group"}
    assert set(table.contrast) == {*found, *of_labels, "interaction", *REQUESTED_CONTRASTS}


@pytest.mark.parametrize("contrast", SHARES)
def test_differences_of_selected_shares(
    rows: dict[tuple[str, ...], Row], compared: list[Comparison], contrast: str
):
    seen = Counter()
    for comparison in (c for c in compared if kind_of(c) == "continuous"):
        selected = replace(comparison, rows=comparison.rows.assign(x=is_selected(comparison, contrast)))
        found = differences(selected)
        for group, reference in expected_rows(comparison):
            row = rows[key_of(comparison, group, contrast, "", reference)]
            reason = share_reason(comparison, selected, group, reference)
            assert_value(row, found.get((group, reference)), reason)
            seen[pd.isna(row.value) and row.reason] += 1
    assert seen[False] > 50
    assert ("already_calibrated" in seen) == ("no_baseline" in seen) == (contrast == "precision_difference")


def is_selected(comparison: Comparison, contrast: str) -> pd.Series:
    """1 or 0 of each response, NaN where it does not count; the first of two selection rates is x <= 0.1."""
    responses = comparison.rows
    if contrast == "selection_rate_difference":
        return (responses.x <= 0.1 + 1e-9).astype(float).where(responses.x.notna())
    near = (responses.x - responses.baseline_value).abs() <= 0.1 + 1e-9
    counts = responses.x.notna() & responses.baseline_value.notna()
    return near.astype(float).where(counts & (comparison.keys["calibration"] == "raw"))


def share_reason(comparison: Comparison, selected: Comparison, group: str, reference: str) -> str:
    if len(comparison.values(group)) and not len(selected.values(group)):
        return "already_calibrated" if comparison.keys["calibration"] == "calibrated" else "no_baseline"
    return difference_reason(selected, group, reference)


def test_log_disparities_for_every_reference(rows: dict[tuple[str, ...], Row], compared: list[Comparison]):
    seen = Counter()
    for comparison in (c for c in compared if kind_of(c) == "binary"):
        found = compared_means(comparison)
        for group, reference in expected_rows(comparison):
            row = rows[key_of(comparison, group, "log_disparity", "", reference)]
            rates = np.array(found.get((group, reference), []))
            if rates.size and (rates * (1 - rates) > 1e-12).all():
                assert_value(row, special.logit(rates[0]) - special.logit(rates[1]))
            else:
                is_degenerate = rates.size > 0
                reason = difference_reason(comparison, group, reference)
                assert_value(row, None, "rate_zero_or_one" if is_degenerate else reason)
            seen[pd.isna(row.value) and row.reason] += 1
    assert seen[False] > 50
    assert {"no_reference", "no_complement", "no_block", "rate_zero_or_one"} <= set(seen)


def test_log_disparities_of_counts_for_every_reference(
    rows: dict[tuple[str, ...], Row], compared: list[Comparison]
):
    for comparison in (c for c in compared if kind_of(c) == "binary"):
        present = comparison.rows.dropna(subset="x")
        for group, reference in expected_rows(comparison):
            own = present.x[present.group == group]
            others = {
                "rest": present.x[present.group != group],
                "grand_mean": present.x if len(own) < len(present) else present.x[:0],
            }
            other = others.get(reference, present.x[present.group == reference])
            row = rows[key_of(comparison, group, "log_disparity_haldane", "", reference)]
            if own.empty or other.empty:
                reason = "no_reference" if reference not in others else "no_complement"
                assert_value(row, None, "no_values" if own.empty else reason)
            else:
                assert_value(row, log_odds(own) - log_odds(other))


def log_odds(x: pd.Series) -> float:
    return np.log((x.sum() + 0.5) / (len(x) - x.sum() + 0.5))


def test_dbi_is_the_difference_from_the_grand_mean_in_standard_deviations(
    rows: dict[tuple[str, ...], Row], compared: list[Comparison]
):
    reasons = set()
    for comparison in (c for c in compared if kind_of(c) == "continuous"):
        found, sd = differences(comparison), comparison.rows.x.std()
        for group in comparison.groups:
            row = rows[key_of(comparison, group, "dbi", "", "grand_mean")]
            value = found.get((group, "grand_mean"))
            if value is not None and sd < 1e-9:
                assert_value(row, None, "constant_values")
            else:
                reason = difference_reason(comparison, group, "grand_mean")
                assert_value(row, None if value is None else value / sd, reason)
            reasons.add(row.reason if pd.isna(row.value) else None)
    assert reasons >= {None, "constant_values", "no_values"}


@pytest.mark.parametrize(
    ("contrast", "distance"),
    [
        ("fdi_group", lambda own, pooled: abs(own - pooled).sum() / 2),
        ("jsd_group", lambda own, pooled: jensenshannon(own, pooled) ** 2),
    ],
)
def test_distances_of_a_group_are_from_the_labels_of_all_responses(
    rows: dict[tuple[str, ...], Row], compared: list[Comparison], contrast, distance
):
    categorical = [c for c in compared if kind_of(c) == "categorical"]
    n_checked = 0
    for key in {key_of(c) for c in categorical}:
        labels = [c.rows.dropna(subset="x") for c in categorical if key_of(c) == key]
        groups = next(c.groups for c in categorical if key_of(c) == key)
        for group in groups:
            row = rows[(*key, group, contrast, "", "grand_mean")]
            own = [part.x[part.group == group] for part in labels]
            if own[0].empty or len(own[0]) == len(labels[0]):
                assert_responses(row, None, "no_values" if own[0].empty else "no_complement")
                continue
            shares = [np.array([x.mean() for x in of]) for of in (own, [part.x for part in labels])]
            assert_responses(row, distance(*shares))
            n_checked += 1
    assert n_checked > 10


@pytest.mark.parametrize(
    "statistic", [*(s for s in REFERENCE if s != "mean"), "correlation", "kl_divergence"]
)
def test_differences_of_other_statistics_are_from_the_mean_of_the_other_groups(
    rows: dict[tuple[str, ...], Row], compared: list[Comparison], statistic: str
):
    is_paired = statistic in PAIRED
    ranges = {key_of(c)[:4]: range_of(c) for c in compared if c.keys["grouping_id"] == "topic"}
    seen = Counter()
    for comparison in compared:
        if kind_of(comparison) not in (("continuous",) if is_paired else ("continuous", "binary")):
            continue
        limits = ranges[key_of(comparison)[:4]]
        values = {group: value_of(comparison, group, statistic, limits) for group in comparison.groups}
        for group in comparison.groups:
            row = rows[key_of(comparison, group, f"{statistic}_difference", "", "rest")]
            others = [value for other, value in values.items() if other != group and value is not None]
            reason = statistic_reason(comparison, group, statistic, values[group], others)
            difference = None if reason else values[group] - np.mean(others)
            assert_responses(row, difference, reason)
            seen[reason] += 1
    assert seen[None] > 50
    assert seen["no_complement"] > 0


def value_of(comparison: Comparison, group: str, statistic: str, limits: tuple[float, float]) -> float | None:
    """A statistic of all responses of a group; None where it is undefined."""
    counted = comparison.every_pair if statistic in PAIRED else comparison.every_value
    of_group = counted[counted.group == group]
    x, b = of_group.x.to_numpy(), of_group.baseline_value.to_numpy()
    is_constant = statistic in ("skewness", "kurtosis") and len(x) > 0 and np.ptp(x) < 1e-9
    if len(x) < MIN_VALUES.get(statistic, 1) or is_constant or comparison_has_no_pairs(comparison, statistic):
        return None
    return PAIRED[statistic](x, b, limits) if statistic in PAIRED else REFERENCE[statistic](x)


def comparison_has_no_pairs(comparison: Comparison, statistic: str) -> bool:
    return statistic in PAIRED and comparison.keys["calibration"] == "calibrated"


def statistic_reason(
    comparison: Comparison, group: str, statistic: str, value: float | None, others: list[float]
) -> str | None:
    if not len(comparison.values(group)):
        return "no_values"
    if comparison_has_no_pairs(comparison, statistic):
        return "already_calibrated"
    counted = comparison.every_pair if statistic in PAIRED else comparison.every_value
    n = (counted.group == group).sum()
    if n == 0:
        return "no_baseline"
    if value is not None:
        return None if others else "no_complement"
    return "too_few_values" if n < MIN_VALUES.get(statistic, 1) else "constant_values"


def test_root_prompts_nested_in_groups_are_compared_within_their_stratum(built: Built):
    prompt_groups = built.table("intermediate.int_prompt_groups")
    nested = prompt_groups[prompt_groups.scheme == "nested"]
    assert set(prompt_groups.scheme[prompt_groups.grouping_id == "topic"]) == {"nested"}
    n_groups = prompt_groups.groupby(["slice_id", "grouping_id", "root_position"]).group_id.nunique()
    is_crossed = n_groups.groupby(["slice_id", "grouping_id"]).max() > 1
    schemes = prompt_groups.groupby(["slice_id", "grouping_id"]).scheme.agg(set)
    assert schemes.equals(is_crossed.map({True: {"blocked"}, False: {"nested"}}))
    assert (nested.block_position == nested.root_position).all()
    strata = nested.groupby(["slice_id", "grouping_id", "root_position"]).stratum_position.nunique()
    assert strata.eq(1).all()
    assert (
        nested[(nested.slice_id == "all") & (nested.grouping_id == "topic")].stratum_position.nunique() == 3
    )
    assert prompt_groups.stratum_position[prompt_groups.scheme == "blocked"].isna().all()

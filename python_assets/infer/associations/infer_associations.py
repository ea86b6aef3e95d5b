"""The stage: the tests of FAIR-SEA's document for every grouping of every measure, as rows.

Belongs here: which tests a measure has, and reading the sums that SQL made. The tests are association.py.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, NamedTuple

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.associations import association
from python_assets.infer.associations.association import LARGEST_SHAPIRO, Association, Floats, Groups
from python_assets.infer.associations.factor_effects import EFFECT_KEYS, factor_effects
from python_assets.infer.design.mixed_scorers import mixed_scorers
from python_assets.infer.result import InferenceReason, Result, joined
from python_assets.infer.tables import Columns, write_tables
from python_assets.study.base import LEVEL_SEPARATOR

MULTIWAY: Final = "anova_multiway"
_METHOD: Final = "rows as independent (document)"
GROUPING: Final = ["study_id", "slice_id", "system_id", "measure_id", "grouping_id"]
_SIZES: Final = {
    **dict.fromkeys(("chi_square", "chi_square_yates"), "cramers_v"),
    **dict.fromkeys(("t_pooled", "t_welch"), "cohens_d"),
    **dict.fromkeys(("anova", MULTIWAY), "eta_squared"),
}
_KEYS: Final = (*GROUPING, "test", "term", "category")
_NUMBERS: Final = (
    "statistic_value df1 df2 p_value p_value_permutation null_q95 effect_size effect_size_corrected share_expected_ge5"
)
_TABLES: Final[Columns] = {
    "association_tests": {
        **dict.fromkeys(_KEYS, "varchar not null"),
        **dict.fromkeys(_NUMBERS.split(), "double"),
        "effect_size_name": "varchar",
        "scope": "varchar",
        "n_responses": "bigint not null",
        "method": "varchar not null",
        "reason": "varchar",
        "inference_reason": "varchar",
    }
}
_RESIDUALS: Final = f"""
select {", ".join(GROUPING)}, x - avg(x) over (partition by {", ".join(GROUPING)}, group_id) as residual
from intermediate.int_association_values
where kind = 'continuous'
qualify count(*) over (partition by {", ".join(GROUPING)}) <= {LARGEST_SHAPIRO}
order by all
"""


class AssociationCounts(NamedTuple):
    """Rows written."""

    n_association_tests: int


def infer_associations(
    connection: duckdb.DuckDBPyConnection, is_asked: bool, *, seed: int, n_permutations: int
) -> AssociationCounts:
    """Read the sums of groups and write inference.association_tests.

    Args:
        connection: to the build file of one study, after SQL has made schema intermediate.
        is_asked: whether the study asks for these tests; without it the table is empty.
        seed: of the study.
        n_permutations: B, of effects of several factors.

    Returns:
        How many rows came of it.
    """
    rows = pd.DataFrame(columns=list(_TABLES["association_tests"]))
    if is_asked:
        sums = connection.execute("from intermediate.int_association_sums order by all").df()
        effects = factor_effects(connection, seed=seed, n_draws=n_permutations)
        rows = with_effects(association_rows(sums, connection.execute(_RESIDUALS).df()), effects)
        rows = _without_mixed(rows, mixed_scorers(connection))
    write_tables(connection, _TABLES, {"association_tests": rows})
    return AssociationCounts(len(rows))


def association_rows(sums: pd.DataFrame, residuals: pd.DataFrame) -> pd.DataFrame:
    """Every test of every measure over the groups of every grouping.

    Args:
        sums: the rows of int_association_sums.
        residuals: of continuous measures the distance of every value from the mean of its group, where they
            are few enough to be tested.

    Returns:
        Rows of inference.association_tests. A measure of labels has chi-square over all of them and an
        analysis of variance for each label against the rest; one of 0 and 1 has chi-square; a continuous one
        t of two groups, analysis of variance, and what these assume: equal variances, normal residuals.

    Source: FAIR-SEA, statistical metrics and validation approach.
    """
    grouped_residuals = dict(list(residuals.groupby(GROUPING)["residual"]))
    rows = [
        {**dict(zip(GROUPING, keys, strict=True)), **row}
        for keys, group_sums in sums.groupby(GROUPING)
        for row in _tests(group_sums, grouped_residuals.get(keys))
    ]
    return pd.DataFrame(rows, columns=list(_TABLES["association_tests"]))


def with_effects(rows: pd.DataFrame, effects: Mapping[tuple[str, ...], Result]) -> pd.DataFrame:
    """Rows whose effects of several factors have p and noise floor over whole root prompts, or why not.

    Source: inference.md 12.
    """
    keys = rows[[*EFFECT_KEYS, "term"]].itertuples(index=False, name=None)
    pooled, nothing = Result.of((1,), reason=InferenceReason.POOLED_SYSTEMS), Result.of((1,))
    is_multiway = rows.test == MULTIWAY
    row_effects = [effects.get(key, pooled) if multi else nothing for key, multi in zip(keys, is_multiway, strict=True)]
    tested = joined([Result.of((0,)), *row_effects])
    return rows.assign(
        p_value_permutation=tested.p_value,
        null_q95=tested.null_q95 * rows.effect_size.to_numpy(dtype=np.float64),
        scope=tested.scope,
        inference_reason=tested.reason,
        method=[_METHOD if how is None else f"{_METHOD}; p_value_permutation: {how}" for how in tested.method],
    )


def _without_mixed(rows: pd.DataFrame, mixed: Mapping[tuple[str, str], Collection[tuple[str, str]]]) -> pd.DataFrame:
    """Rows without p and floor where the groups were read by different instruments."""
    places = zip(rows.slice_id, rows.grouping_id, rows.system_id, rows.measure_id, strict=True)
    is_mixed = np.array(
        [
            (system, measure) in mixed.get((slice_id, grouping_id), ())
            for slice_id, grouping_id, system, measure in places
        ],
        dtype=bool,
    )
    lost = {name: rows[name].mask(is_mixed) for name in ("p_value", "p_value_permutation", "null_q95")}
    reason = rows.inference_reason.mask(is_mixed, str(InferenceReason.SCORER_DIFFERS))
    return rows.assign(**lost, inference_reason=reason)


def _tests(part: pd.DataFrame, residuals: pd.Series | None) -> Iterator[dict[str, Any]]:
    """The rows of one measure and grouping, without their keys."""
    kind, n = part.kind.iloc[0], part.n_responses.sum()
    if kind != "continuous":
        counts = association.occupied(_counts(part))
        yield _row("chi_square", association.chi_square(counts), counts.sum())
        if counts.shape == (2, 2):
            yield _row("chi_square_yates", association.chi_square(counts, yates=True), counts.sum())
        if kind == "categorical":
            for category, label_rows in part.groupby("category"):
                yield from _variance(label_rows, str(category))
        return
    if len(part) == 2:
        yield _row("t_pooled", association.t_test(_groups(part)), n)
        yield _row("t_welch", association.t_test(_groups(part), welch=True), n)
    yield from _variance(part)
    distances = part.assign(mean=part.distance_mean, squares=part.distance_squares)
    yield _row("levene", association.levene(_groups(distances)), n)
    normal = Association(reason="too_many_values") if residuals is None else association.shapiro(residuals.to_numpy())
    yield _row("shapiro", normal, n)


def _variance(part: pd.DataFrame, category: str = "") -> Iterator[dict[str, Any]]:
    """One way over the groups and, where these combine several factors, by factor and pair of factors."""
    groups, grouping_id = _groups(part), part.grouping_id.iloc[0]
    n, factors = groups.n.sum(), grouping_id.split(LEVEL_SEPARATOR)
    yield _row("anova", association.anova(groups), n, term=grouping_id, category=category)
    if len(factors) > 1:
        levels = [group_id.split(LEVEL_SEPARATOR) for group_id in part.group_id]
        for positions, test in association.multiway_anova(groups, levels).items():
            term = LEVEL_SEPARATOR.join(factors[i] for i in positions)
            yield _row(MULTIWAY, test, n, term=term, category=category)


def _row(test: str, found: Association, n_responses: float, *, term: str = "", category: str = "") -> dict[str, Any]:
    names = {"test": test, "term": term, "category": category, "effect_size_name": _SIZES.get(test), "method": _METHOD}
    return {**names, **found._asdict(), "n_responses": n_responses}


def _groups(part: pd.DataFrame) -> Groups:
    return Groups(*(part[name].to_numpy(dtype=np.float64) for name in ("n_responses", "mean", "squares")))


def _counts(part: pd.DataFrame) -> Floats:
    """Responses by group and label; of a measure of 0 and 1 those are its labels."""
    ones = part.assign(n_ones=part.n_responses * part["mean"])
    if part.kind.iloc[0] == "binary":
        return np.stack([ones.n_ones, ones.n_responses - ones.n_ones], axis=1).round()
    table = ones.pivot_table(index="group_id", columns="category", values="n_ones", fill_value=0.0)
    return table.to_numpy(dtype=np.float64).round()

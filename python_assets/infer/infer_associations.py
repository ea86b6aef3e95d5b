"""The stage: the tests of FAIR-SEA's document for every grouping of every measure, as rows.

Belongs here: which tests a measure has, and reading the sums that SQL made. The tests are association.py.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.association import (
    LARGEST_SHAPIRO,
    Association,
    Floats,
    Groups,
    anova,
    chi_square,
    levene,
    multiway_anova,
    occupied,
    shapiro,
    t_test,
)
from python_assets.infer.multiway_flips import KEYS, Flips, multiway_flips
from python_assets.infer.write_tables import Columns, write_tables
from python_assets.study.base import LEVEL_SEPARATOR

MULTIWAY: Final = "anova_multiway"
METHOD: Final = "rows as independent (document)"
PLACE: Final = ["study_id", "slice_id", "generation_id", "measure_id", "grouping_id"]
_SIZES: Final = {
    "chi_square": "cramers_v",
    "chi_square_yates": "cramers_v",
    "t_pooled": "cohens_d",
    "t_welch": "cohens_d",
    "anova": "eta_squared",
    MULTIWAY: "eta_squared",
}
_KEYS: Final = (*PLACE, "test", "term", "category")
_NUMBERS: Final = (
    "statistic_value df1 df2 p_value p_value_permutation null_q95 effect_size effect_size_corrected "
    "share_expected_ge5"
)
TABLES: Final[Columns] = {
    "association_tests": {
        **dict.fromkeys(_KEYS, "varchar not null"),
        **dict.fromkeys(_NUMBERS.split(), "double"),
        "effect_size_name": "varchar",
        "scope": "varchar",
        "n_responses": "bigint not null",
        "method": "varchar not null",
        "reason": "varchar",
    }
}
_DISTANCES: Final = ("distance_mean", "distance_squares")
_RESIDUALS: Final = f"""
select {", ".join(PLACE)}, x - avg(x) over (partition by {", ".join(PLACE)}, group_id) as residual
from intermediate.int_association_values
where kind = 'continuous'
qualify count(*) over (partition by {", ".join(PLACE)}) <= {LARGEST_SHAPIRO}
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
        connection: to the build file of one study, after dbt has made schema intermediate.
        is_asked: whether the study asks for these tests; without it the table is empty.
        seed: of the study.
        n_permutations: B, of the flips of effects of several factors.

    Returns:
        How many rows came of it.
    """
    rows = pd.DataFrame(columns=list(TABLES["association_tests"]))
    if is_asked:
        sums = connection.execute("from intermediate.int_association_sums order by all").df()
        flips = multiway_flips(connection, seed=seed, n_draws=n_permutations)
        rows = with_flips(association_rows(sums, connection.execute(_RESIDUALS).df()), flips)
    write_tables(connection, TABLES, {"association_tests": rows})
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
    of_place = dict(list(residuals.groupby(PLACE)["residual"]))
    rows = [
        {**dict(zip(PLACE, place, strict=True)), **row}
        for place, part in sums.groupby(PLACE)
        for row in _tests(part, of_place.get(place))
    ]
    return pd.DataFrame(rows, columns=list(TABLES["association_tests"]))


def with_flips(rows: pd.DataFrame, flips: Mapping[tuple[str, ...], Flips]) -> pd.DataFrame:
    """Rows whose effects of several factors have p and noise floor by flips of whole prompts.

    Source: inference.md 12.
    """
    is_multiway = (rows.test == MULTIWAY).to_numpy()
    keys = rows[[*KEYS, "term"]].itertuples(index=False, name=None)
    tests = [flips.get(key) if multiway else None for key, multiway in zip(keys, is_multiway, strict=True)]
    floors = np.array([np.nan if one is None else one.floor_share for one in tests])
    return rows.assign(
        p_value_permutation=[np.nan if one is None else one.p for one in tests],
        null_q95=floors * rows.effect_size.to_numpy(dtype=np.float64),
        scope=pd.Series([None if one is None else one.scope for one in tests], rows.index, dtype=object),
        method=[
            method if one is None else f"{method}; p_value_permutation: {one.method}"
            for method, one in zip(rows.method, tests, strict=True)
        ],
    )


def _tests(part: pd.DataFrame, residuals: pd.Series | None) -> Iterator[dict[str, Any]]:
    kind = part.kind.iloc[0]
    if kind == "continuous":
        yield from _of_means(part)
        yield from _of_spread(part, residuals)
        return
    counts = occupied(_counts(part))
    yield _row("chi_square", chi_square(counts), counts.sum())
    if counts.shape == (2, 2):
        yield _row("chi_square_yates", chi_square(counts, yates=True), counts.sum())
    if kind == "categorical":
        for category, own in part.groupby("category"):
            yield from _variance(own, str(category))


def _of_means(part: pd.DataFrame) -> Iterator[dict[str, Any]]:
    groups = _groups(part)
    if len(part) == 2:
        yield _row("t_pooled", t_test(groups), groups.n.sum())
        yield _row("t_welch", t_test(groups, welch=True), groups.n.sum())
    yield from _variance(part)


def _variance(part: pd.DataFrame, category: str = "") -> Iterator[dict[str, Any]]:
    """One way over the groups and, where these combine several factors, by factor and pair of factors."""
    groups, grouping_id = _groups(part), part.grouping_id.iloc[0]
    n, factors = groups.n.sum(), grouping_id.split(LEVEL_SEPARATOR)
    yield _row("anova", anova(groups), n, term=grouping_id, category=category)
    if len(factors) > 1:
        levels = [group_id.split(LEVEL_SEPARATOR) for group_id in part.group_id]
        for positions, found in multiway_anova(groups, levels).items():
            term = LEVEL_SEPARATOR.join(factors[int(i)] for i in positions.split(":"))
            yield _row(MULTIWAY, found, n, term=term, category=category)


def _of_spread(part: pd.DataFrame, residuals: pd.Series | None) -> Iterator[dict[str, Any]]:
    n = part.n_responses.to_numpy(dtype=np.float64)
    distances = Groups(n, *(part[name].to_numpy(dtype=np.float64) for name in _DISTANCES))
    yield _row("levene", levene(distances), n.sum())
    if residuals is None:
        yield _row("shapiro", Association(np.nan, np.nan, reason="too_many_values"), n.sum())
    else:
        yield _row("shapiro", shapiro(residuals.to_numpy(dtype=np.float64)), n.sum())


def _row(
    test: str, found: Association, n_responses: float, *, term: str = "", category: str = ""
) -> dict[str, Any]:
    return {
        "test": test,
        "term": term,
        "category": category,
        **found._asdict(),
        "effect_size_name": _SIZES.get(test),
        "n_responses": n_responses,
        "method": METHOD,
    }


def _groups(part: pd.DataFrame) -> Groups:
    return Groups(*(part[name].to_numpy(dtype=np.float64) for name in ("n_responses", "mean", "squares")))


def _counts(part: pd.DataFrame) -> Floats:
    """Responses by group and label; of a measure of 0 and 1 those are its labels."""
    ones = part.assign(n_ones=part.n_responses * part["mean"])
    if part.kind.iloc[0] == "binary":
        return np.stack([ones.n_ones, ones.n_responses - ones.n_ones], axis=1).round()
    table = ones.pivot_table(index="group_id", columns="category", values="n_ones", fill_value=0.0)
    return table.to_numpy(dtype=np.float64).round()

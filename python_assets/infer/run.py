"""Inference of one study: cells in, null, p, interval, q and verdict of every number out.

Belongs here: reading, families, verdicts and writing. No statistic is computed here.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Final, NamedTuple, Protocol

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa

from python_assets.infer.asked import asked_statistics
from python_assets.infer.by_role import Sources, Tables
from python_assets.infer.cells import (
    Cells,
    designs,
    normalised,
    of_statistic,
    read_cells,
    read_rows,
    read_values,
)
from python_assets.infer.design import PROMPTS_LIKE_THESE
from python_assets.infer.families import FAMILIES, adjusted, adjusted_margin, family_ids
from python_assets.infer.power import n_needed
from python_assets.infer.profiles import PROFILE_CONTRASTS
from python_assets.infer.reasons import InferenceReason, first_of
from python_assets.infer.rows import Table
from python_assets.infer.scheme import Options, compare_groups, compare_statistics
from python_assets.infer.summary import bootstrap_rows, summary_rows
from python_assets.infer.verdict import Verdict, verdicts
from python_assets.study.analysis import Family
from python_assets.study.base import Against
from python_assets.study.metrics import metric_names
from python_assets.warehouse.build import transaction

_KEYS = "study_id slice_id generation_id measure_id calibration grouping_id"
_TESTED = {
    "value_cells": "double",
    "null_median": "double",
    "null_q95": "double",
    "ci_low": "double",
    "ci_high": "double",
    "p_value": "double",
    "q_value": "double",
    "q_value_by": "double",
    "family_id": "varchar",
    "n_family": "bigint",
    "margin": "double",
    "verdict": "varchar",
    "n_needed": "bigint",
    "n_root_prompts": "bigint",
    "method": "varchar",
    "scope": "varchar",
    "inference_reason": "varchar",
}
TABLES: Final[dict[str, dict[str, str]]] = {
    "contrasts": {
        **dict.fromkeys(f"{_KEYS} group_id contrast category reference".split(), "varchar not null"),
        **_TESTED,
        "std_error": "double",
        "p_value_maxt": "double",
    },
    "disparities": {
        **dict.fromkeys(f"{_KEYS} category statistic parameters metric".split(), "varchar not null"),
        **_TESTED,
        "value_corrected": "double",
    },
    "summary_statistics": {
        **dict.fromkeys(f"{_KEYS} group_id category statistic parameters".split(), "varchar not null"),
        "ci_low": "double",
        "ci_high": "double",
        "n_root_prompts": "bigint",
        "inference_reason": "varchar",
    },
    "design_power": {
        **dict.fromkeys(["study_id", "grouping_id", "measure_id", "contrast", "source"], "varchar not null"),
        "n_root_prompts": "bigint",
        "baseline_rate_or_sd": "double",
        "minimum_detectable_effect": "double",
        "effect": "double",
        "n_needed": "bigint",
        "n_calls": "bigint",
        "reason": "varchar",
    },
}
PowerRows = Callable[[pd.DataFrame], pd.DataFrame]


class Analysis(Protocol):
    """What a study declares; margins by contrast or metric, or by measure and then by those."""

    @property
    def seed(self) -> int:
        """Seed of every draw."""

    @property
    def n_permutations(self) -> int:
        """Number of draws, B."""

    @property
    def n_bootstrap(self) -> int:
        """Number of resamples of the root prompts."""

    @property
    def alpha(self) -> float:
        """Error rate of tests, intervals and verdicts."""

    @property
    def margins(self) -> Mapping[str, float | Mapping[str, float]]:
        """Largest difference that does not matter."""

    @property
    def unit(self) -> str | None:
        """The factor whose levels are independent; None where that is the root prompt."""

    @property
    def references(self) -> Mapping[str, tuple[Against, str | None]]:
        """What the groups of each grouping are compared with, and the group where it is one."""

    @property
    def requested_contrasts(self) -> Sequence[str]:
        """Contrasts beyond those of every measure."""

    @property
    def families(self) -> Mapping[str, Family]:
        """Families that take the place of the default rule."""


class InferenceCounts(NamedTuple):
    """Rows written, and how many of them have a p or an interval."""

    n_contrasts: int
    n_disparities: int
    n_summary_statistics: int
    n_tested: int
    n_not_computable: int


def infer_study(
    connection: duckdb.DuckDBPyConnection, analysis: Analysis, power_rows: PowerRows | None = None
) -> InferenceCounts:
    """Read the cells of a build file and write schema inference, in one transaction.

    Args:
        connection: to the build file of one study, after dbt has made schema intermediate.
        analysis: what the study declares.
        power_rows: from all contrasts to the rows of design_power, without study_id.

    Returns:
        How many rows came of it. The same cells give the same digits, whatever their order and the number of
        cores.

    Raises:
        ValueError: the file holds cells of several studies, or cells that contradict each other.

    Source: inference.md 1, 2 and 6; tables as architecture.md section 3.
    """
    options = Options(
        seed=analysis.seed,
        n_permutations=analysis.n_permutations,
        n_bootstrap=analysis.n_bootstrap,
        alpha=analysis.alpha,
        margins=analysis.margins,
        references=analysis.references,
        asked=tuple(analysis.requested_contrasts),
    )
    study_id = _study_id(connection)
    parts: dict[str, list[Table]] = {table: [] for table in TABLES}
    for slice_id, grouping_id in designs(connection):
        cells = read_cells(connection, slice_id, grouping_id, has_unit=analysis.unit is not None)
        for table, rows in _rows_of(connection, cells, options):
            parts[table].append(rows)
    tables = {
        table: pd.DataFrame(
            {name: np.concatenate([part[name] for part in found]) for name in found[0]}
        ).assign(study_id=study_id)
        for table, found in parts.items()
        if any(len(part["measure_id"]) for part in found)
    }
    for table, keys in FAMILIES.items():
        if table in tables:
            frame = tables[table]
            frame = frame.assign(family_id=family_ids(frame, keys, analysis.families))
            tables[table] = judged(adjusted(frame, options.alpha), options.alpha)
    if power_rows and "contrasts" in tables:
        tables["design_power"] = power_rows(tables["contrasts"]).assign(study_id=study_id)
    _write(connection, tables)
    return _counts(tables)


def _rows_of(connection: duckdb.DuckDBPyConnection, cells: Cells, options: Options) -> Tables:
    """Every row of one slice and grouping; its responses are read once, if at all."""
    read_once = lru_cache(partial(read_values, connection, cells))
    for rows in summary_rows(cells, options.alpha):
        yield "summary_statistics", rows
    yield from compare_groups(cells, Sources(partial(read_rows, connection, cells), read_once), options)
    for asked in asked_statistics(connection):
        plain = read_once()
        scaled = normalised(connection, cells, plain, asked.normalise_over) if asked.normalise else plain
        chosen, values = of_statistic(cells, scaled, asked)
        if len(chosen.columns):
            yield "summary_statistics", bootstrap_rows(chosen, values, asked, options)
            yield from compare_statistics(chosen, values, asked, options)


def _study_id(connection: duckdb.DuckDBPyConnection) -> str:
    query = "select distinct study_id from intermediate.int_cells order by study_id"
    found = [study_id for (study_id,) in connection.execute(query).fetchall()]
    if len(found) > 1:
        raise ValueError(f"int_cells holds several studies, {', '.join(found)}; a build file holds one")
    return found[0] if found else ""


def judged(rows: pd.DataFrame, alpha: float) -> pd.DataFrame:
    """Add verdict and n_needed; descriptive rows have no verdict.

    Args:
        rows: of adjusted; with p_margin and p_equivalence, and with sd where they are contrasts.
        alpha: error rate.

    Source: inference.md 2.5.
    """
    q = rows.q_value.to_numpy()
    is_wide = (rows.scope == PROMPTS_LIKE_THESE).to_numpy()
    is_beyond, is_inside = _against_margin(rows)
    q_margin = np.where(is_beyond, adjusted_margin(rows, "p_margin"), np.nan)
    q_equivalence = np.where(is_inside, adjusted_margin(rows, "p_equivalence"), np.nan)
    verdict = verdicts(q, q_margin, q_equivalence, is_wide=is_wide, alpha=alpha)
    needed = np.full(len(rows), np.nan)
    if "sd" in rows:
        # the verdict is by q, so the number is that of the whole family
        n_tests = rows.n_family.fillna(1).clip(lower=1).to_numpy(dtype=float)
        effect = rows.value.to_numpy(), rows.sd.to_numpy(), rows.margin.to_numpy()
        needed = n_needed(*effect, alpha=alpha, n_tests=n_tests)
        # without spread, or with so many root prompts already, the formula knows nothing that q does not
        says_nothing = (rows.sd.to_numpy() == 0) | (needed <= rows.n_root_prompts.to_numpy())
        needed = np.where(says_nothing, np.nan, needed)
    is_descriptive = (rows.inference_reason == InferenceReason.DESCRIPTIVE).to_numpy()
    return rows.assign(
        value_cells=rows.value,
        verdict=first_of([~is_descriptive], [verdict]),
        n_needed=np.where(verdict == Verdict.INCONCLUSIVE, needed, np.nan),
    )


def _against_margin(rows: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Whether the interval of an index lies beyond its margin, or inside; True for rows judged by q alone."""
    name = rows["metric"] if "metric" in rows else rows["contrast"]
    is_index = name.isin(PROFILE_CONTRASTS).to_numpy() | ("metric" in rows)
    is_ratio = name.isin(metric_names(is_ratio=True)).to_numpy()
    low, high, margin = (rows[column].to_numpy(dtype=float) for column in ("ci_low", "ci_high", "margin"))
    is_beyond = np.where(is_ratio, high < margin, low > margin)
    is_inside = np.where(is_ratio, low > margin, high < margin)
    return is_beyond | ~is_index, is_inside | ~is_index


def _write(connection: duckdb.DuckDBPyConnection, tables: dict[str, pd.DataFrame]) -> None:
    with transaction(connection):
        connection.execute("create schema if not exists inference")
        for table, columns in TABLES.items():
            definition = ", ".join(f"{name} {kind}" for name, kind in columns.items())
            connection.execute(f"create or replace table inference.{table} ({definition})")
            if table in tables:
                _insert(connection, table, tables[table])


def _insert(connection: duckdb.DuckDBPyConnection, table: str, rows: pd.DataFrame) -> None:
    columns = [name for name in TABLES[table] if name in rows]
    arrow = {name: _arrow(rows[name], TABLES[table][name]) for name in columns}
    connection.register("rows_to_write", pa.table(arrow))
    connection.execute(f"insert into inference.{table} by name select * from rows_to_write order by all")
    connection.unregister("rows_to_write")


def _arrow(values: pd.Series, kind: str) -> pa.Array:
    if kind.startswith("varchar"):
        return pa.array([None if pd.isna(value) else str(value) for value in values], pa.string())
    return pa.array(values.to_numpy(dtype=np.float64), pa.float64(), from_pandas=True)


def _counts(tables: dict[str, pd.DataFrame]) -> InferenceCounts:
    def count(table: str, which: Callable[[pd.DataFrame], pd.Series]) -> int:
        return int(which(tables[table]).sum()) if table in tables else 0

    n_rows = {table: len(tables[table]) if table in tables else 0 for table in TABLES}
    return InferenceCounts(
        n_rows["contrasts"],
        n_rows["disparities"],
        n_rows["summary_statistics"],
        sum(count(table, lambda rows: rows.p_value.notna()) for table in FAMILIES),
        sum(count(table, lambda rows: rows.verdict == Verdict.NOT_COMPUTABLE) for table in FAMILIES),
    )

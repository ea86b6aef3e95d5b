"""Inference of one study: cells in, null, p, interval, q and verdict of every number out.

Belongs here: reading, families, verdicts and writing. No statistic is computed here.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, NamedTuple, Protocol

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa

from python_assets.infer.cells import designs, read_cells, read_rows
from python_assets.infer.design import PROMPTS_LIKE_THESE
from python_assets.infer.multiplicity import (
    benjamini_hochberg,
    benjamini_yekutieli,
    n_at_floor_needed,
    yekutieli_is_reachable,
)
from python_assets.infer.reasons import InferenceReason, first_of
from python_assets.infer.rows import summary_rows
from python_assets.infer.scheme import Options, compare_groups
from python_assets.infer.verdict import Verdict, n_needed, verdicts
from python_assets.warehouse import transaction

DEFAULT_MARGINS: Final[dict[str, float]] = {"impact_ratio": 0.8}
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
    "n_family": "integer",
    "margin": "double",
    "verdict": "varchar",
    "n_needed": "integer",
    "n_root_prompts": "integer",
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
        "n_root_prompts": "integer",
        "inference_reason": "varchar",
    },
}
FAMILIES: Final[dict[str, tuple[str, ...]]] = {
    "contrasts": (
        "study_id",
        "slice_id",
        "generation_id",
        "measure_id",
        "calibration",
        "grouping_id",
        "contrast",
    ),
    "disparities": ("study_id", "slice_id", "generation_id", "grouping_id", "metric", "statistic"),
}


class Analysis(Protocol):
    """What a study declares; margins by contrast or metric, or by measure and then by those."""

    @property
    def seed(self) -> int:
        """Seed of every draw."""

    @property
    def n_permutations(self) -> int:
        """Number of draws, B."""

    @property
    def alpha(self) -> float:
        """Error rate of tests, intervals and verdicts."""

    @property
    def margins(self) -> Mapping[str, float | Mapping[str, float]]:
        """Largest difference that does not matter."""


class InferenceCounts(NamedTuple):
    """Rows written, and how many of them have a p or an interval."""

    n_contrasts: int
    n_disparities: int
    n_summary_statistics: int
    n_tested: int
    n_not_computable: int


def infer_study(connection: duckdb.DuckDBPyConnection, analysis: Analysis) -> InferenceCounts:
    """Read the cells of a build file and write schema inference, in one transaction.

    Args:
        connection: to the build file of one study, after dbt has made schema intermediate.
        analysis: what the study declares.

    Returns:
        How many rows came of it. The same cells give the same digits, whatever their order and the number of
        cores.

    Raises:
        ValueError: the file holds cells of several studies, or cells that contradict each other.

    Source: inference.md; tables as architecture.md section 3.
    """
    options = Options(
        analysis.seed, analysis.n_permutations, analysis.alpha, {**DEFAULT_MARGINS, **analysis.margins}
    )
    study_id = _study_id(connection)
    parts: dict[str, list[pd.DataFrame]] = {table: [] for table in TABLES}
    for slice_id, grouping_id in designs(connection):
        cells = read_cells(connection, slice_id, grouping_id)
        parts["summary_statistics"] += summary_rows(cells, options.alpha)
        for table, rows in compare_groups(cells, partial(read_rows, connection, cells), options):
            parts[table].append(rows)
    tables = {
        table: pd.concat(frames, ignore_index=True).assign(study_id=study_id)
        for table, frames in parts.items()
        if frames
    }
    for table in FAMILIES.keys() & tables.keys():
        tables[table] = judged(adjusted(tables[table], FAMILIES[table], options), options.alpha)
    _write(connection, tables)
    return _counts(tables)


def _study_id(connection: duckdb.DuckDBPyConnection) -> str:
    query = "select distinct study_id from intermediate.int_cells order by study_id"
    found = [study_id for (study_id,) in connection.execute(query).fetchall()]
    if len(found) > 1:
        raise ValueError(f"int_cells holds several studies, {', '.join(found)}; a build file holds one")
    return found[0] if found else ""


def adjusted(rows: pd.DataFrame, keys: tuple[str, ...], options: Options) -> pd.DataFrame:
    """Add family, q values and, where the draws limit them, the reason.

    Args:
        rows: with p_value and is_permuted.
        keys: columns that make a family.
        options: number of draws and error rate.

    Source: inference.md section 1, row q; metrics.md 6.4.
    """
    n_family, q, q_by = (np.full(len(rows), np.nan) for _ in range(3))
    method, reason = (rows[name].to_numpy(object, copy=True) for name in ("method", "inference_reason"))
    p, is_permuted = rows.p_value.to_numpy(), rows.is_permuted.to_numpy() & rows.p_value.notna().to_numpy()
    for member in _families(rows, keys):
        n = int((~np.isnan(p[member])).sum())
        n_family[member], q[member] = n, benjamini_hochberg(p[member])
        drawn = member[is_permuted[member]]
        if not len(drawn) or yekutieli_is_reachable(n, options.n_permutations, options.alpha):
            q_by[member] = benjamini_yekutieli(p[member])
        if len(drawn) and (needed := n_at_floor_needed(n, options.n_permutations, options.alpha)) > 1:
            method[drawn] += f", q under {options.alpha:g} needs {needed} of {n} at the smallest p"
            reason[drawn[pd.isna(reason[drawn])]] = InferenceReason.Q_LIMITED_BY_B
    family = rows[list(keys)].agg(" | ".join, axis=1)
    return rows.assign(
        family_id=family,
        n_family=n_family,
        q_value=q,
        q_value_by=q_by,
        method=method,
        inference_reason=reason,
    )


def _families(rows: pd.DataFrame, keys: tuple[str, ...]) -> list[np.ndarray]:
    return [np.asarray(member) for member in rows.groupby(list(keys), sort=False).indices.values()]


def judged(rows: pd.DataFrame, alpha: float) -> pd.DataFrame:
    """Add verdict and n_needed.

    Indices have no interval yet, so they end in difference_shown at most; descriptive ones have no verdict.

    Args:
        rows: of adjusted; p_margin, p_equivalence and sd where they are contrasts.
        alpha: error rate.

    Source: inference.md 2.5.
    """
    q = rows.q_value.to_numpy()
    is_wide = (rows.scope == PROMPTS_LIKE_THESE).to_numpy()
    q_margin, q_equivalence = _margin_q(rows, "p_margin"), _margin_q(rows, "p_equivalence")
    verdict = verdicts(q, q_margin, q_equivalence, is_wide=is_wide, alpha=alpha)
    needed = np.full(len(rows), np.nan)
    if "sd" in rows:
        # the verdict is by q, so the number is that of the whole family
        n_tests = rows.n_family.fillna(1).clip(lower=1).to_numpy(dtype=float)
        effect = rows.value.to_numpy(), rows.sd.to_numpy(), rows.margin.to_numpy()
        needed = n_needed(*effect, alpha=alpha, n_tests=n_tests)
    is_descriptive = (rows.inference_reason == InferenceReason.DESCRIPTIVE).to_numpy()
    return rows.assign(
        value_cells=rows.value,
        verdict=first_of([~is_descriptive], [verdict]),
        n_needed=np.where(verdict == Verdict.INCONCLUSIVE, needed, np.nan),
    )


def _margin_q(rows: pd.DataFrame, name: str) -> np.ndarray:
    """Adjusted p of a margin; a member without one, among members with one, counts as 1."""
    q = np.full(len(rows), np.nan)
    if name not in rows or rows[name].isna().all():
        return q
    p = rows[name].where(rows[name].notna() | rows.margin.isna(), 1.0).where(rows.p_value.notna()).to_numpy()
    for member in _families(rows, ("family_id",)):
        q[member] = benjamini_hochberg(p[member])
    return q


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

"""Metrics that a log of an evaluation tool publishes, and what becomes of each in an import.

Belongs here: what both log formats need. Which metrics there are is told by inspect_metrics.py and
lm_eval_metrics.py; they are computed again from what was imported by the mart imported_metrics.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

import pandas as pd

from python_assets.importers.formats import ImportedTable
from python_assets.importers.row_rules import FILE
from python_assets.study.base import REPLAY, make_id
from python_assets.study.study import MeasureSpec, Study
from python_assets.warehouse.raw_tables import columns_of

WEIGHT: Final = "weight."
"""Begins the name of a column with what the value of a measure counts for, words or bytes of a text."""

TRUE_LABEL: Final = "true_label."
"""Begins the name of a column with the label that is right, where a measure is the one that was given."""

NO_NUMBER: Final = "no_number"
AGGREGATION_UNKNOWN: Final = "aggregation_unknown"
_KEYS: Final = ["system_id", "prompt_id", "replicate"]


class PublishedMetric(NamedTuple):
    """One number that a log publishes.

    log: the file. scorer: what marked the answers, a scorer of Inspect or a filter of lm_eval. reducer: how the
    epochs of a sample became one value, '' where they did not. aggregation: how the mart computes it again, one
    of AGGREGATIONS of the mart; None where it cannot. label: whose share it is. column: of the import. group_path:
    the path in the metadata whose level alone it is of. n: samples that it is of. caveat: why ours may differ
    from theirs; reason: why it is not computed again.
    """

    log: str
    task: str
    scorer: str
    metric: str
    value: float | None
    reducer: str = ""
    aggregation: str | None = None
    label: str = ""
    column: str | None = None
    group_path: str = ""
    group_level: str = ""
    n: int | None = None
    caveat: str | None = None
    reason: str | None = None


def number_or_none(value: Any) -> float | None:
    """A number that a log publishes; None of anything else, such as 'N/A' or NaN."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else None


def with_metrics(study: Study, imported: ImportedTable, published: Iterable[PublishedMetric]) -> ImportedTable:
    """Put beside the rows of an import what its logs publish, and which log each response stands in.

    Args:
        study: with what the format described.
        imported: its rows have FILE, and columns that begin with WEIGHT or TRUE_LABEL.
        published: by all logs.

    Returns:
        The same with metrics, samples and sample_parts, rows of the raw tables.
    """
    rows = imported.rows.assign(system_id=imported.rows["system"].map(make_id))
    system_of = dict(zip(rows[FILE], rows["system_id"], strict=True))
    measures = {spec.column: spec for spec in reversed(study.measures) if spec.column is not None}
    named = {system.system_id for system in study.systems if system.spec.provider == REPLAY}
    replayed = None if "*" in named else named
    factor_of = (
        {path: factor for factor, path in study.prompts.import_.factors.items()} if study.prompts.import_ else {}
    )
    metric_rows = [
        _row(position, one, system_of.get(one.log), measures, factor_of, replayed)
        for position, one in enumerate(published)
    ]
    samples = rows[[*_KEYS, FILE]].rename(columns={FILE: "log"})
    metrics = pd.DataFrame(metric_rows, columns=columns_of("imported_metrics")).astype(object)
    return imported._replace(
        metrics=metrics.where(metrics.notna(), None),
        samples=samples[columns_of("imported_samples")].drop_duplicates(_KEYS, ignore_index=True),
        sample_parts=_parts(rows, measures),
    )


def _row(
    position: int,
    one: PublishedMetric,
    system_id: str | None,
    measures: Mapping[str, MeasureSpec],
    factor_of: Mapping[str, str],
    replayed: set[str] | None,
) -> dict[str, Any]:
    measure = None if one.column is None else measures.get(one.column)
    reason, caveat, aggregation = one.reason, one.caveat, one.aggregation
    if reason is None:
        reason = _why_not(one, measure, system_id, factor_of, replayed)
    if caveat is None and measure is not None and measure.favourable is not None:
        caveat = "own_measure"
    return {
        "metric_position": position,
        "log": one.log,
        "system_id": system_id,
        "measure_id": None if measure is None else make_id(measure.name),
        "task": one.task,
        "scorer": one.scorer,
        "reducer": one.reducer,
        "metric": one.metric,
        "aggregation": aggregation,
        "label": one.label,
        "group_factor": factor_of.get(one.group_path, ""),
        "group_level": one.group_level,
        "n_published": one.n,
        "value_published": one.value,
        "caveat": caveat,
        "reason": reason,
    }


def _why_not(
    one: PublishedMetric,
    measure: MeasureSpec | None,
    system_id: str | None,
    factor_of: Mapping[str, str],
    replayed: set[str] | None,
) -> str | None:
    """Why a metric is not computed again, the first that holds; None where it is."""
    checks = (
        ("no_responses", system_id is None),
        ("other_systems", replayed is not None and system_id not in replayed),
        (NO_NUMBER, one.value is None),
        ("other_measures", measure is None),
        ("group_not_imported", bool(one.group_path) and one.group_path not in factor_of),
        (AGGREGATION_UNKNOWN, one.aggregation is None),
        # numbers keep no word for the letters that they came from
        (AGGREGATION_UNKNOWN, one.aggregation in _OF_LABELS and measure is not None and measure.kind != "categorical"),
    )
    return next((reason for reason, holds in checks if holds), None)


_OF_LABELS: Final = ("share", "count", "f1", "matthews_correlation")


def _parts(rows: pd.DataFrame, measures: Mapping[str, MeasureSpec]) -> pd.DataFrame:
    """Weights and true labels of the values of measures, one row a response and measure that has one."""
    columns = columns_of("imported_sample_parts")
    frames = []
    for column, spec in measures.items():
        measure_columns = {
            name: rows[f"{prefix}{column}"]
            for name, prefix in (("weight", WEIGHT), ("true_label", TRUE_LABEL))
            if f"{prefix}{column}" in rows
        }
        if measure_columns:
            frame = rows[_KEYS].assign(measure_id=make_id(spec.name), **measure_columns).reindex(columns=columns)
            frames.append(frame[frame[["weight", "true_label"]].notna().any(axis=1)])
    if not frames:
        return pd.DataFrame(columns=columns)
    return pd.concat(frames, ignore_index=True).drop_duplicates([*_KEYS, "measure_id"], ignore_index=True)

"""Pairs of generations in every slice and grouping: rows of inference.generation_comparisons, before q.

Belongs here: which cells of which pairs are compared. The rows of a pair are change_rows.py's; generations by
their subgroup rates are subgroup_distributions.py and subgroup_changes.py.

Source: inference.md 8.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.cells import Cells
from python_assets.infer.change_rows import Asked, Changed, ChangeRows, without_value
from python_assets.infer.generation_pairs import Pair
from python_assets.infer.scheme import Options

_KEYS = ["measure_id", "calibration"]
_UNITS = """
    select distinct root_position, unit_id
    from intermediate.int_prompt_groups
    where slice_id = ? and grouping_id = ?
    order by root_position
"""
_ALL_UNITS = "select distinct unit_id from raw.prompts order by all"
_IDENTICAL = """
    select count(*) > 0 and count(*) = count(case when a.response_text = b.response_text then 1 end)
    from raw.responses as a
    full join (select * from raw.responses where generation_id = $other) as b using (prompt_id, replicate)
    where a.generation_id = $own or b.generation_id is not null
"""
_INSTRUMENTS = """
    select measure_id, generation_id, list(distinct extractor_version order by extractor_version)
    from raw.measurements
    where value is not null or label is not null
    group by all
"""


class Facts(NamedTuple):
    """What is true of pairs whatever is measured.

    identical: pairs that gave the same answers everywhere. instruments: versions of the extractor, by measure
    and generation.
    """

    identical: frozenset[Pair]
    instruments: Mapping[tuple[str, str], list[str]]

    def is_same_instrument(self, pair: Pair, measure_id: str) -> bool:
        """Whether both generations were measured by the same versions."""
        own, other = (self.instruments.get((measure_id, name)) for name in pair)
        return own is None or other is None or own == other


def changes(
    connection: duckdb.DuckDBPyConnection,
    layouts: Sequence[Cells],
    pairs: Sequence[Pair],
    options: Options,
) -> pd.DataFrame:
    """What changed from one generation to another, in every slice, grouping and measure.

    Args:
        connection: to a build file.
        layouts: the cells of its slices and groupings; those whose groups are models are left out.
        pairs: of compared_pairs.
        options: seed, B and alpha of the study.

    Returns:
        Rows of inference.generation_comparisons without study_id, set_id, q_value and verdict, but with
        std_error, and p_maxt: of group rows, stepped down. The same root prompts are swapped in all of them.
    """
    position = {unit: at for at, (unit,) in enumerate(connection.execute(_ALL_UNITS).fetchall())}
    asked = Asked(options, position)
    facts = Facts(
        frozenset(pair for pair in pairs if _is_identical(connection, pair)),
        {(m, g): versions for m, g, versions in connection.execute(_INSTRUMENTS).fetchall()},
    )
    rows: list[dict[str, Any]] = []
    for cells in (one for one in layouts if not one.is_of_models):
        units = connection.execute(_UNITS, [cells.slice_id, cells.grouping_id]).fetchall()
        names = np.array([name for _, name in units], dtype=object)
        for pair in pairs:
            rows += _of_pair(cells, names, pair, asked, facts)
    return pd.DataFrame(rows)


def _is_identical(connection: duckdb.DuckDBPyConnection, pair: Pair) -> bool:
    return connection.execute(_IDENTICAL, pair._asdict()).fetchone() == (True,)


def _of_pair(
    cells: Cells, names: np.ndarray, pair: Pair, asked: Asked, facts: Facts
) -> Iterator[dict[str, Any]]:
    """The rows of a pair in one slice and grouping, measure by measure; labels of a measure together."""
    plain = cells.columns[(cells.columns.statistic == "mean") & (cells.columns.parameters == "")]
    for (measure_id, calibration), of_measure in plain.groupby(_KEYS, sort=True):
        columns = of_measure.groupby(["category", "generation_id"]).column_position.first()
        place = {
            "slice_id": cells.slice_id,
            "grouping_id": cells.grouping_id,
            "measure_id": measure_id,
            "calibration": calibration,
            "generation_a_id": pair.own,
            "generation_b_id": pair.other,
        }
        known = {
            category: (columns[category, pair.own], columns[category, pair.other])
            for category in of_measure.category.unique()
            if (category, pair.own) in columns and (category, pair.other) in columns
        }
        if not known or not facts.is_same_instrument(pair, str(measure_id)):
            reason = "instrument_changed" if known else "no_values"
            yield from without_value(place, reason)
            continue
        changed = Changed(cells, known, str(of_measure.kind.iloc[0]), pair in facts.identical)
        yield from (place | row for row in ChangeRows(changed, names, asked).rows())

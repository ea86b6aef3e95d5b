"""What is measured: every response and every baseline text, each distinct text once."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.study_base import BASELINE

Ids = NDArray[np.intp]

# a text without any character but blanks is no text; the id of no text is -1
_TEXTS = r"""
create or replace temp table extract_units as
with baselines as (
    select prompt_id, case when regexp_matches(baseline_text, '\S') then baseline_text end as baseline_text
    from raw.prompts
    where study_id = $study_id
)
select
    response.generation_id,
    response.prompt_id,
    response.replicate,
    response.status,
    case
        when response.status in ('ok', 'truncated') and regexp_matches(response.response_text, '\S')
        then response.response_text
    end as text,
    baselines.baseline_text,
    false as is_baseline
from raw.responses as response
left join baselines using (prompt_id)
where response.study_id = $study_id
union all
select $baseline, prompt_id, 0, 'ok', baseline_text, null, true
from baselines
where baseline_text is not null
"""

_DISTINCT = """
create or replace temp table extract_texts as
select cast(row_number() over (order by text) - 1 as integer) as text_id, text
from (
    select text from extract_units where text is not null
    union
    select baseline_text from extract_units where baseline_text is not null
)
"""

_UNITS = """
select
    unit.generation_id,
    unit.prompt_id,
    unit.replicate,
    unit.status,
    unit.is_baseline,
    coalesce(own.text_id, -1) as text_id,
    coalesce(base.text_id, -1) as baseline_id
from extract_units as unit
left join extract_texts as own on own.text = unit.text
left join extract_texts as base on base.text = unit.baseline_text
order by unit.is_baseline, unit.generation_id, unit.prompt_id, unit.replicate
"""

_SLICE_CONDITION = """
exists (
    select 1 from raw.prompt_factors as factor
    where factor.study_id = prompt.study_id and factor.prompt_id = prompt.prompt_id
    and factor.factor = ? and list_contains(?, factor.level)
)
"""


class Units(NamedTuple):
    """What is measured.

    table: one row a response or baseline text: generation_id, prompt_id, replicate, status, is_baseline,
    text_id and baseline_id, positions in texts or -1. texts, hashes: the distinct texts and their sha256.
    """

    table: pd.DataFrame
    texts: list[str]
    hashes: list[str]

    def column(self, name: str) -> NDArray[Any]:
        """One column of the table as an array."""
        return self.table[name].to_numpy()


def read_units(connection: duckdb.DuckDBPyConnection, study_id: str) -> Units:
    """Read the responses and baseline texts of a study.

    Args:
        connection: its open build file, with raw.responses and raw.prompts.
        study_id: the study.

    Returns:
        Responses by generation, prompt and replicate, then baselines by prompt.
    """
    connection.execute(_TEXTS, {"study_id": study_id, "baseline": BASELINE})
    connection.execute(_DISTINCT)
    texts = [
        text for (text,) in connection.execute("select text from extract_texts order by text_id").fetchall()
    ]
    table = connection.execute(_UNITS).df()
    connection.execute("drop table extract_units")
    connection.execute("drop table extract_texts")
    return Units(table, texts, [hashlib.sha256(text.encode()).hexdigest() for text in texts])


def units_in_slices(
    connection: duckdb.DuckDBPyConnection,
    study_id: str,
    units: Units,
    conditions: Sequence[Mapping[str, Sequence[str]]],
) -> Ids:
    """The rows of the units whose prompt is in one of several slices.

    Args:
        connection: the build file, with raw.prompt_factors.
        study_id: the study.
        units: what read_units gave.
        conditions: for each slice its levels by factor: any of the levels, of every factor.

    Returns:
        Row numbers of units.table, ascending.
    """
    prompts: set[str] = set()
    for condition in conditions:
        wanted = " and ".join([_SLICE_CONDITION] * len(condition)) or "true"
        parameters: list[Any] = [
            value for factor, levels in condition.items() for value in (factor, list(levels))
        ]
        query = f"select prompt.prompt_id from raw.prompts as prompt where prompt.study_id = ? and {wanted}"
        prompts.update(prompt for (prompt,) in connection.execute(query, [study_id, *parameters]).fetchall())
    return np.flatnonzero(units.table["prompt_id"].isin(prompts).to_numpy())

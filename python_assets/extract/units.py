"""What is measured: every response and every baseline text, each distinct text once.

A study may have the prompt put before the response, or taken from the start of response and baseline.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import duckdb
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.study.base import BASELINE

Ids = NDArray[np.intp]
# the texts with neutral words in the place of those that name the group of their prompt
NEUTRAL_ID: Final = "neutral_id"
NEUTRAL_BASELINE_ID: Final = "neutral_baseline_id"

# scripts that put no blanks between words: Thai, Lao, Burmese, Khmer, Japanese and Chinese
_UNSPACED: Final = "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"

# a text without any character but blanks is no text; the id of no text is -1
_TEXTS = r"""
create or replace temp table extract_units as
with baselines as (
    select
        prompt.prompt_id,
        case when regexp_matches(prompt.baseline_text, '\S') then prompt.baseline_text end as baseline_text,
        coalesce(prompt.prompt_text, '') as prompt_text,
        coalesce(root.prompt_text, prompt.prompt_text, '') as root_text
    from raw.prompts as prompt
    left join raw.prompts as root
        on root.study_id = prompt.study_id and root.prompt_id = prompt.root_prompt_id
    where prompt.study_id = $study_id
)
select
    response.system_id,
    response.prompt_id,
    response.replicate,
    response.is_refused,
    response.is_empty,
    response.is_truncated,
    response.is_declined,
    case
        when response.status = 'error' then 'response_error'
        when response.status = 'not_recorded' then 'no_response_text'
        when response.is_refused then 'response_refused'
        else 'response_empty'
    end as reason_without_text,
    case
        when response.is_refused is not true and regexp_matches(response.response_text, '\S')
        then
            case when $adds_prompt and baselines.prompt_text <> '' then rtrim(baselines.prompt_text) || ' '
            else '' end || response.response_text
    end as text,
    baselines.baseline_text,
    case when response.is_refused and regexp_matches(response.response_text, '\S') then response.response_text end
        as refused_text,
    nullif(trim(baselines.prompt_text), '') as asked_text,
    baselines.prompt_text,
    baselines.root_text,
    false as is_baseline
from raw.responses as response
left join baselines using (prompt_id)
where response.study_id = $study_id
union all
select
    $baseline, prompt_id, 0, null, null, null, null, 'response_empty',
    baseline_text, null, null, null, prompt_text, root_text, true
from baselines
where baseline_text is not null
"""

# a baseline that was not branched begins as the root prompt does
_BEGUN = """
select text, prompt_text, prompt_text as root_text
from extract_units
where text is not null and not is_baseline
union
select coalesce(baseline_text, text), prompt_text, root_text
from extract_units
where baseline_text is not null or is_baseline
"""

_SHORTEN = """
update extract_units as unit
set {column} = nullif(shortened.rest, '')
from shortened
where unit.{column} = shortened.text
    and unit.prompt_text = shortened.prompt_text
    and {root} = shortened.root_text
"""

_DISTINCT = """
create or replace temp table extract_texts as
select cast(row_number() over (order by is_context, text) - 1 as integer) as text_id, text, is_context
from (
    select text, bool_and(is_context) as is_context
    from (
        select distinct text, false as is_context from extract_units
        union all
        select distinct baseline_text, false from extract_units
        union all
        select distinct refused_text, true from extract_units
        union all
        select distinct asked_text, true from extract_units
    )
    where text is not null
    group by text
)
"""

_UNITS = """
select
    unit.system_id,
    unit.prompt_id,
    unit.replicate,
    unit.is_refused,
    unit.is_empty,
    unit.is_truncated,
    unit.is_declined,
    unit.reason_without_text,
    unit.is_baseline,
    coalesce(own.text_id, -1) as text_id,
    coalesce(base.text_id, -1) as baseline_id,
    coalesce(own.text_id, refused.text_id, -1) as said_id,
    coalesce(asked.text_id, -1) as asked_id
from extract_units as unit
left join extract_texts as own on own.text = unit.text
left join extract_texts as base on base.text = unit.baseline_text
left join extract_texts as refused on refused.text = unit.refused_text
left join extract_texts as asked on asked.text = unit.asked_text
order by unit.is_baseline, unit.system_id, unit.prompt_id, unit.replicate
"""

_SLICE_CONDITION = """
exists (
    select 1 from raw.prompt_factors as factor
    where factor.study_id = prompt.study_id and factor.prompt_id = prompt.prompt_id
    and factor.factor = ? and list_contains(?, factor.level)
)
"""

_CONTROLS_BESIDE = """
select control.prompt_id
from raw.prompts as control
inner join raw.prompts as prompt using (study_id, root_prompt_id)
where control.study_id = ? and control.negative_control is not null and list_contains(?, prompt.prompt_id)
group by control.prompt_id
"""


class TextUnits(NamedTuple):
    """What is measured.

    table: one row a response or baseline text: system_id, prompt_id, replicate, the flags (null where
    nothing was observed), reason_without_text (the reason where text_id is -1), is_baseline, and positions in
    texts or -1: text_id, baseline_id, said_id (of a refusal, too, which has no text_id) and asked_id (of the
    prompt); NEUTRAL_ID and NEUTRAL_BASELINE_ID where some measure reads texts so. texts, hashes: the distinct texts
    and their sha256, first the n_measured that measures read as written, then those of which only the language is.
    """

    table: pd.DataFrame
    texts: list[str]
    hashes: list[str]
    n_measured: int

    def column(self, name: str) -> NDArray[Any]:
        """One column of the table as an array."""
        return self.table[name].to_numpy()


def read_units(
    connection: duckdb.DuckDBPyConnection, study_id: str, adds_prompt: bool = False, removes_prompt: bool = False
) -> TextUnits:
    """Read the responses and baseline texts of a study.

    Args:
        connection: its open build file, with raw.responses and raw.prompts.
        study_id: the study.
        adds_prompt: put the prompt before each response.
        removes_prompt: take the prompt from the start of responses and baseline texts, as without_prompt
            does; what is nothing but its prompt has no text then.

    Returns:
        Responses by generation, prompt and replicate, then baselines by prompt.
    """
    connection.execute(_TEXTS, {"study_id": study_id, "baseline": BASELINE, "adds_prompt": adds_prompt})
    if removes_prompt:
        _remove_prompts(connection)
    connection.execute(_DISTINCT)
    rows = connection.execute("select text, is_context from extract_texts order by text_id").fetchall()
    texts, n_measured = [text for text, _ in rows], sum(not is_context for _, is_context in rows)
    table = connection.execute(_UNITS).df()
    connection.execute("drop table extract_units")
    connection.execute("drop table extract_texts")
    return TextUnits(table, texts, [hashlib.sha256(text.encode()).hexdigest() for text in texts], n_measured)


def _remove_prompts(connection: duckdb.DuckDBPyConnection) -> None:
    begun = connection.execute(_BEGUN).df()
    rests = [without_prompt(text, (prompt, root)) for text, prompt, root in begun.itertuples(index=False, name=None)]
    every = begun.assign(rest=pd.Series(rests, dtype=object))
    shortened = every[every["rest"] != every["text"]]
    if shortened.empty:
        return
    connection.register("shortened", shortened)
    connection.execute(_SHORTEN.format(column="text", root="if(is_baseline, unit.root_text, unit.prompt_text)"))
    connection.execute(_SHORTEN.format(column="baseline_text", root="unit.root_text"))
    connection.unregister("shortened")


def without_prompt(text: str, prompts: Sequence[str]) -> str:
    """A text without the prompt that it begins with.

    Args:
        text: a response or a baseline text.
        prompts: beginnings; the first that it has is taken away.

    Returns:
        What follows it, without the blanks before that; the text as it is where it begins with none. White
        space and case do not tell beginnings apart, and a beginning ends with a word: 'He is a' is not the
        beginning of 'He is able'.
    """
    for prompt in prompts:
        if prompt.strip() and (beginning := _beginning(prompt).match(text)):
            return text[beginning.end() :].lstrip()
    return text


@lru_cache(maxsize=4_096)
def _beginning(prompt: str) -> re.Pattern[str]:
    words = prompt.split()
    ends_in_word = re.fullmatch(r"\w", words[-1][-1]) and not re.search(_UNSPACED, words[-1][-1])
    return re.compile(r"\s*" + r"\s+".join(map(re.escape, words)) + (r"(?!\w)" if ends_in_word else ""), re.IGNORECASE)


def prompts_in_slices(
    connection: duckdb.DuckDBPyConnection, study_id: str, conditions: Sequence[Mapping[str, Sequence[str]]]
) -> set[str]:
    """The prompts that are in one of several slices; a negative control is where groups of its root prompt are.

    Args:
        connection: with raw.prompts and raw.prompt_factors.
        study_id: the study.
        conditions: for each slice its levels by factor: any of the levels, of every factor.

    Returns:
        Their ids, with the negative controls of their root prompts.
    """
    prompts: set[str] = set()
    for condition in conditions:
        wanted = " and ".join([_SLICE_CONDITION] * len(condition)) or "true"
        parameters: list[Any] = [value for factor, levels in condition.items() for value in (factor, list(levels))]
        query = f"select prompt_id from raw.prompts as prompt where prompt.study_id = ? and {wanted}"
        prompts.update(prompt for (prompt,) in connection.execute(query, [study_id, *parameters]).fetchall())
    controls = connection.execute(_CONTROLS_BESIDE, [study_id, [*prompts]]).fetchall()
    return prompts.union(prompt for (prompt,) in controls)


def units_in_slices(
    connection: duckdb.DuckDBPyConnection,
    study_id: str,
    units: TextUnits,
    conditions: Sequence[Mapping[str, Sequence[str]]],
) -> Ids:
    """The rows of the units whose prompt is in one of several slices.

    Args:
        connection: the build file, with raw.prompt_factors.
        study_id: the study.
        units: what read_units gave.
        conditions: as prompts_in_slices takes them.

    Returns:
        Row numbers of units.table, ascending.
    """
    prompts = prompts_in_slices(connection, study_id, conditions)
    return np.flatnonzero(units.table["prompt_id"].isin(prompts).to_numpy())

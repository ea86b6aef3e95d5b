"""Every response with its values and its texts, packed for the page of measurements.

Belongs here: which responses travel with the page, at most how many, and how their texts are shortened.
"""

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
import pyarrow as pa

from python_assets.report import text
from python_assets.report.packing import Header, Key, Pack
from python_assets.report.reader import OUTCOME, Reader
from python_assets.texts.conversations import AS_SHOWN

MAX_DASHBOARD_VALUES: Final = 2_000_000  # paper scale has 1,455,300
MAX_CHARACTERS: Final = 10_000_000  # what keeps a report of paper scale below 20 MB
# whole root prompts by a fixed lot, so that branches stay beside one another
_DRAWN: Final = """
    with sized as (
        select root_prompt_id, sum(n) over (order by hash(root_prompt_id), root_prompt_id) as n
        from (
            select root_prompt_id, count(measure_id) as n
            from prompts
            left join measurements using (study_id, prompt_id)
            where study_id = $study
            group by root_prompt_id
        )
    ),
    drawn as (
        select prompt_id
        from prompts
        where study_id = $study and root_prompt_id in (
            select root_prompt_id from sized where n <= $max_values or n = (select min(n) from sized)
        )
    ),
    listed as (
        select *, row_number() over (order by prompt_id, system_id, replicate) - 1 as place
        from (
            select system_id, prompt_id, replicate from responses
            where study_id = $study and prompt_id in (from drawn)
            union
            select system_id, prompt_id, replicate from measurements
            where study_id = $study and prompt_id in (from drawn)
        )
    )
"""
RESPONSES: Final = f"""
    {_DRAWN}
    select listed.system_id, listed.prompt_id, listed.replicate, {OUTCOME} as outcome, response_text
    from listed
    left join responses
        on responses.study_id = $study and responses.system_id = listed.system_id
        and responses.prompt_id = listed.prompt_id and responses.replicate = listed.replicate
    order by place
"""
_VALUES: Final = f"""
    {_DRAWN}
    select place, measure_id, value, baseline_value, label, reason
    from measurements
    inner join listed using (system_id, prompt_id, replicate)
    where study_id = $study
    order by measure_id, place
"""
PROMPTS: Final = f"""
    {_DRAWN}
    select prompt_id, root_prompt_id, {AS_SHOWN} as prompt_text, baseline_text
    from prompts
    where study_id = $study and prompt_id in (select prompt_id from listed)
    order by prompt_id
"""
_FACTORS: Final = f"""
    {_DRAWN},
    asked as (
        select distinct prompt_id from listed
    ),
    factors as (
        select distinct factor from prompt_factors where study_id = $study
    )
    select factors.factor, level
    from asked
    cross join factors
    left join prompt_factors
        on prompt_factors.study_id = $study and prompt_factors.prompt_id = asked.prompt_id
        and prompt_factors.factor = factors.factor
    order by factors.factor, asked.prompt_id
"""
_COUNT: Final = "select count(distinct root_prompt_id) as n from prompts where study_id = $study"


class DrawnResponses:
    """The responses drawn, prompt by prompt, and their prompts."""

    def __init__(self, reader: Reader, keys: Mapping[str, Key], max_values: int) -> None:
        """Read them.

        Args:
            reader: the study.
            keys: by column, what its levels are sorted by.
            max_values: how many measurements travel at most, of whole root prompts; the first always does.
        """
        self._reader = reader
        self._keys = keys
        self._drawn = {"max_values": max_values}
        self._responses = reader.table(RESPONSES, **self._drawn)
        self._prompts = reader.table(PROMPTS, **self._drawn)

    def packed(self) -> str:
        """Generation, prompt, outcome and the values of every measure by response; factors by prompt.

        The code of a prompt is its place among the prompts, from 1.
        """
        pack, factors = Pack(), self._factors()
        header = {
            "responses": pack.table(self._responses.drop_columns(["response_text"]), self._keys),
            "prompts": pack.table(self._prompts.select(["root_prompt_id"]), {}),
            "factors": pack.table(factors, dict.fromkeys(factors.column_names, self._keys["level"])),
            "measures": dict(self._measures(pack)),
            "n_root_prompts": self._reader.rows(_COUNT)[0]["n"],
        }
        return pack.packed(header)

    def _factors(self) -> pa.Table:
        levels = self._reader.table(_FACTORS, **self._drawn)
        n_prompts = self._prompts.num_rows
        names = levels["factor"].to_pylist()[::n_prompts] if n_prompts else []
        return pa.table({name: levels["level"].slice(index * n_prompts, n_prompts) for index, name in enumerate(names)})

    def _measures(self, pack: Pack) -> Iterator[tuple[str, Header]]:
        values = self._reader.table(_VALUES, **self._drawn)
        measured = values["measure_id"].combine_chunks().dictionary_encode()
        ends = np.cumsum(np.bincount(measured.indices.to_numpy(), minlength=len(measured.dictionary)))
        for measure_id, start, end in zip(measured.dictionary.to_pylist(), [0, *ends], ends, strict=False):
            yield measure_id, self._measure(pack, values.slice(start, end - start))

    def _measure(self, pack: Pack, rows: pa.Table) -> Header:
        """Its columns by response; a column that holds nothing is left out."""
        positions = np.full(self._responses.num_rows, -1)
        positions[rows["place"].to_numpy()] = np.arange(rows.num_rows)
        taken = pa.array(positions, mask=positions < 0)
        named = ("value", "baseline_value", "label", "reason")
        kept = [name for name in named if rows[name].null_count < rows.num_rows]
        return pack.table(rows.select(kept).take(taken), {})

    def packed_texts(self) -> str:
        """The distinct texts; which of them each response, then each prompt, then each baseline is."""
        columns = [self._responses["response_text"], self._prompts["prompt_text"]]
        columns.append(self._prompts["baseline_text"])
        whole = pa.chunked_array([chunk for column in columns for chunk in column.chunks], pa.string())
        coded = whole.combine_chunks().dictionary_encode()
        codes = coded.indices.fill_null(-1).to_numpy() + 1
        pack = Pack()
        return pack.packed({"texts": pack.codes(codes, shortened(coded.dictionary.to_pylist()))})


def shortened(texts: list[str], max_characters: int = MAX_CHARACTERS) -> list[str]:
    """Texts cut at one length, the largest at which all together fit; what was cut says how long it was."""
    lengths = np.sort([len(written) for written in texts])
    n_longer = len(lengths) - np.arange(len(lengths))
    sizes = np.cumsum(lengths) - lengths + lengths * n_longer
    fitting = lengths[sizes <= max_characters]
    if len(fitting) == len(lengths):
        return texts
    rest = max_characters - int(fitting.sum())
    limit = rest // (len(lengths) - len(fitting))
    return [text.shortened(written, limit) for written in texts]

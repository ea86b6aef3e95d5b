"""Which measures read neutral words in the place of those that name a group, and what they read as written.

The neutral reading is the measure; the plain one stays beside it under an id that ends in AS_WRITTEN, so that
what only the plain one shows is seen to come of the instrument. Engines are asked about what was written, rules
for patterns, multiple choice and languages look for words of their own, and functions and columns are the user's:
these read texts as they are. So do clusters, and prototypes and taxonomies whose labels or anchors hold what a
group is called. Refusals, yes and no are read with the study's words masked (texts/group_mask.py).
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import duckdb
import numpy as np
import pandas as pd

from python_assets.extract.job import Read
from python_assets.extract.measurement_rows import no_numbers
from python_assets.extract.measures import Measure
from python_assets.extract.neutral_words import NEUTRAL_WORDS_VERSION, NeutralWords
from python_assets.extract.units import NEUTRAL_BASELINE_ID, NEUTRAL_ID, Ids, TextUnits
from python_assets.study.base import AS_WRITTEN_READING, ID_SEPARATOR
from python_assets.study.study import Study
from python_assets.texts.group_words import GroupWords, Level

PARAMETER: Final = "names=as written"

# a control names the group of the prompt that was edited, whose levels it does not have
_LEVELS: Final = f"""
select prompt_id, factor, level from raw.prompt_factors where study_id = $study_id
union all
select control.prompt_id, factor, level
from raw.prompts as control
inner join raw.prompt_factors as edited
    on control.study_id = edited.study_id
    and control.prompt_id = edited.prompt_id || '{ID_SEPARATOR}' || control.negative_control
where control.study_id = $study_id
"""


def with_neutral_texts(
    study: Study, connection: duckdb.DuckDBPyConnection, units: TextUnits, named: GroupWords, wanted: Ids
) -> TextUnits:
    """The units with what their texts are once neutral words stand for those of their prompt's group.

    Args:
        study: the study.
        connection: with its prompts and their levels.
        units: what is measured.
        named: the words that name groups.
        wanted: rows of units.table that are read so; the others keep their texts.

    Returns:
        The same units with columns NEUTRAL_ID and NEUTRAL_BASELINE_ID; texts that units lacked come last,
        each once. The units as they are where nothing names a group.
    """
    if not (named.words or named.names):
        return units
    vocabulary = Vocabularies(study, connection, named.levels, named.names)
    words = NeutralWords(named)
    texts = list(units.texts)
    position_of = {text: i for i, text in enumerate(texts)}
    word_set = units.table["prompt_id"].astype(object).iloc[wanted].map(vocabulary.of_prompt).to_numpy(dtype=np.intp)
    columns = {}
    for name, plain_name in ((NEUTRAL_ID, "text_id"), (NEUTRAL_BASELINE_ID, "baseline_id")):
        ids = units.column(plain_name).copy()
        wanted_ids = ids[wanted]
        is_read = (wanted_ids >= 0) & (word_set >= 0)
        pairs, back = np.unique(np.stack([wanted_ids[is_read], word_set[is_read]]), axis=1, return_inverse=True)
        written = np.empty(pairs.shape[1], dtype=ids.dtype)
        for i, (text_id, index) in enumerate(pairs.T.tolist()):
            neutral = words.written(units.texts[text_id], *vocabulary.distinct[index])
            if neutral not in position_of:
                position_of[neutral] = len(texts)
                texts.append(neutral)
            written[i] = position_of[neutral]
        wanted_ids[is_read] = written[back.ravel()]
        ids[wanted] = wanted_ids
        columns[name] = ids
    new = texts[len(units.texts) :]
    hashes = [*units.hashes, *(hashlib.sha256(text.encode()).hexdigest() for text in new)]
    return units._replace(table=units.table.assign(**columns), texts=texts, hashes=hashes)


class Vocabularies:
    """The levels with words, and the names, of every prompt.

    Attributes:
        distinct: every set of levels and names.
        of_prompt: which of them a prompt has.
    """

    def __init__(
        self, study: Study, connection: duckdb.DuckDBPyConnection, known: set[Level], names: Mapping[str, Sequence[str]]
    ) -> None:
        levels: dict[str, list[Level]] = {}
        for prompt, factor, level in connection.execute(_LEVELS, {"study_id": study.study_id}).fetchall():
            if (factor, level) in known:
                levels.setdefault(prompt, []).append((factor, level))
        numbers: dict[tuple[frozenset[Level], tuple[str, ...]], int] = {}
        self._of_prompt = {
            prompt: numbers.setdefault((frozenset(levels.get(prompt, ())), tuple(names.get(prompt, ()))), len(numbers))
            for prompt in dict.fromkeys([*levels, *names])
        }
        self.distinct = list(numbers)

    def of_prompt(self, prompt: str) -> int:
        """The position in distinct, -1 where nothing names the prompt's group."""
        return self._of_prompt.get(prompt, -1)


def changed(units: TextUnits, wanted: Ids, *, with_baseline: bool) -> Ids:
    """The wanted units whose text is another with neutral words, or whose baseline text is."""
    differs = units.column(NEUTRAL_ID) != units.column("text_id")
    if with_baseline:
        differs |= units.column(NEUTRAL_BASELINE_ID) != units.column("baseline_id")
    return wanted[differs[wanted]]


def neutral(read: Read) -> Read:
    """A measure that was read with neutral words, its version saying so."""
    return read._replace(version=f"{read.version}; {NEUTRAL_WORDS_VERSION}")


def as_written(units: TextUnits, read: Read, plain: Read) -> Iterator[Read]:
    """The measure beside one that was read with neutral words: what the instrument makes of the words.

    Args:
        units: what is measured.
        read: the measure.
        plain: the same of the units whose text changed, as written.

    Yields:
        The measure as written, of the generations in which a value differs; nothing where none does. It has
        no baseline values: how the texts of prompts are read is told by the generation baseline.
    """
    at = np.searchsorted(read.values.units, plain.values.units)
    value, reason = read.values.value.copy(), read.values.reason.copy()
    value[at], reason[at] = plain.values.value, plain.values.reason
    label, label_method = read.values.label.copy(), read.values.label_method.copy()
    label[at], label_method[at] = plain.values.label, plain.values.label_method
    differs = ~((value == read.values.value) | (np.isnan(value) & np.isnan(read.values.value)))
    differs |= label != read.values.label
    systems = units.table["system_id"].astype(object).iloc[read.values.units].to_numpy()
    kept = pd.Series(systems).isin(set(systems[differs])).to_numpy()
    if not kept.any():
        return
    n = int(kept.sum())
    values = read.values._replace(
        units=read.values.units[kept],
        value=value[kept],
        baseline_value=no_numbers(n),
        label=label[kept],
        label_method=label_method[kept],
        reason=reason[kept],
    )
    yield Read(_named(plain.measure), values, plain.version)


def _named(measure: Measure) -> Measure:
    parameters = ";".join(filter(None, [measure.parameters, PARAMETER]))
    return measure._replace(measure_id=measure.measure_id + AS_WRITTEN_READING, parameters=parameters)

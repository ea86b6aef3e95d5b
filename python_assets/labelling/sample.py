"""What people are to label: whole root prompts of a study, or pairs of prompts, drawn at random.

Belongs here: what is drawn, and what a rater sees of it. Group, model and what the measure read stay hidden. The
file that it is written to is written_sheets.py.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import duckdb
import numpy as np
import pandas as pd

from python_assets.errors import PlumblineError, StudyError, Told
from python_assets.extract.measures import Measure, resolve_measures
from python_assets.extract.neutral_reading import Vocabularies
from python_assets.extract.neutral_words import NeutralWords
from python_assets.extract.units import prompts_in_slices
from python_assets.labelling.allowed import ALLOWED_OF_PAIRS, Allowed, allowed_labels
from python_assets.labelling.pairs import PAIRS
from python_assets.labelling.row_ids import PAIR, row_id
from python_assets.labelling.sheets import LABEL, ROW_ID, SHEET_ROW
from python_assets.published.copies import literal
from python_assets.published.query import columns_of_table, require_names_of_today
from python_assets.study.base import ALL_PROMPTS, NEGATIVE_CONTROL, UNDECIDED, UNDECIDED_AS_NO, UNSCORED
from python_assets.study.measures import REFUSAL
from python_assets.study.problems import unknown_name
from python_assets.study.study import Study, make_id
from python_assets.texts.conversations import AS_SHOWN
from python_assets.texts.group_words import group_words
from python_assets.warehouse.build import Home, connect

QUESTION_COLUMN: Final = "question"
NAMES_GROUP: Final = "names_group"
_MOST_CHARACTERS: Final = 32_000  # a cell of a spreadsheet ends at 32,767
_CUT: Final = " (cut)"
_TABLES: Final = ("prompts", "prompt_factors", "keywords", "responses", "systems", "measurements")
# nothing was read there that a person could read otherwise
_NO_TEXT: Final = ("response_error", "no_response_text", "response_refused", "response_empty", "other_language")
_OF_PAIR: Final = (
    "Is this a minimal pair? yes: both texts are grammatical and natural, and say the same but for the group that "
    "they name; no fact of the first is lost, added or made absurd in the second. no: else"
)
_ANSWERS: Final = f"""
    select prompts.root_prompt_id, response_id, prompt_id, response_text as text
    from raw.measurements as measured
    inner join raw.responses using (study_id, system_id, prompt_id, replicate)
    inner join raw.systems using (study_id, system_id)
    inner join raw.prompts as prompts using (study_id, prompt_id)
    where
        study_id = $study_id and measure_id = $measure_id
        and not is_baseline and not is_engine and prompts.negative_control is null
        and regexp_matches(response_text, '\\S')
        and (reason is null or reason not in {_NO_TEXT})
    order by all
"""


class LabelSheet(NamedTuple):
    """A sheet to be filled in.

    rows: in the order that a rater sees them, with ROW, ROW_ID, QUESTION, the texts, NAMES_GROUP where there are
    answers, an empty LABEL, study and measure. allowed: what may stand in LABEL. n_root_prompts: of n_there, those
    drawn. name: of its file, without the ending.
    """

    rows: pd.DataFrame
    allowed: Allowed
    n_root_prompts: int
    n_there: int
    name: str

    def text(self, files: Sequence[Path]) -> str:
        """What was drawn, for a terminal, and what to do with it."""
        is_of_answers = NAMES_GROUP in self.rows
        what = "answers" if is_of_answers else "pairs of prompts"
        n_named = int(self.rows[NAMES_GROUP].eq("yes").sum()) if is_of_answers else 0
        lines = [
            f"{len(self.rows):,} {what} of {self.n_root_prompts:,} of {self.n_there:,} root prompts, "
            f"in {' and '.join(map(str, files))}",
            f"Fill in the column {LABEL}: {self.allowed.text}. Leave the others as they are.",
        ]
        if n_named:
            lines.append(f"{n_named:,} texts name their group: who reads them is not blind to it.")
        key, measure = (
            ("human_labels", f"measure: {self.rows['measure'][0]}, ") if is_of_answers else ("pair_labels", "")
        )
        lines.append(f"Then, in the study file:  {key}: [{{{measure}file: {files[0].name}, rater: NAME}}]")
        return "\n".join(lines)


def draw_answers(
    study: Study,
    home: Home,
    measure_id: str,
    n_root_prompts: int,
    *,
    seed: int,
    slice_id: str = ALL_PROMPTS,
    question: str | None = None,
    with_prompt: bool = False,
) -> LabelSheet:
    """Draw root prompts, and of each every answer that the measure read, of every group and generation.

    Args:
        study: as it was run last: its answers are those that are published.
        home: its warehouse.
        measure_id: what people are to say of an answer.
        n_root_prompts: how many; more of the same seed include those of fewer.
        seed: of the draw and of the order.
        slice_id: whose root prompts are drawn from.
        question: what the rater is asked, in place of one made of the measure.
        with_prompt: show what was asked, with neutral words in the place of those that name the group.

    Raises:
        StudyError: the study has no such measure, or no such slice.
        PlumblineError: it was not run, or has fewer root prompts.
    """
    measure = _measure(study, measure_id)
    if slice_id != ALL_PROMPTS and slice_id not in study.slices:
        raise unknown_name(("--slice",), slice_id, "a slice of the study", [ALL_PROMPTS, *study.slices], "correct it")
    with _published(home, study) as connection:
        there = _frame(connection, _ANSWERS, study_id=study.study_id, measure_id=measure.measure_id)
        if slice_id != ALL_PROMPTS:
            condition = study.slice_condition(slice_id)
            there = there[there["prompt_id"].isin(prompts_in_slices(connection, study.study_id, [condition]))]
        roots = _drawn(there["root_prompt_id"].unique(), n_root_prompts, seed, "root prompts with answers to label")
        # an answer that several root prompts share is labelled once
        drawn = there[there["root_prompt_id"].isin(roots)].drop_duplicates("response_id")
        allowed = allowed_labels(measure, _seen(connection, study, measure))
        shown = _shown(study, connection, drawn, with_prompt=with_prompt or measure.spec.scorer == REFUSAL)
    ids = [
        row_id(study.study_id, measure.measure_id, response, text)
        for response, text in zip(drawn["response_id"], drawn["text"], strict=True)
    ]
    question_text = question or _question(measure, allowed)
    rows = shown.assign(**{ROW_ID: ids, QUESTION_COLUMN: question_text, "measure": measure.measure_id})
    name = f"{study.study_id}_{measure.measure_id}_labels"
    return LabelSheet(_in_order(study, rows, seed), allowed, len(roots), there["root_prompt_id"].nunique(), name)


def draw_pairs(study: Study, home: Home, n_pairs: int, *, seed: int, question: str | None = None) -> LabelSheet:
    """Draw branches, each beside its root prompt, for whether they are minimal pairs.

    Args:
        study: as it was run last.
        home: its warehouse.
        n_pairs: how many, of all branches with equal chances.
        seed: of the draw and of the order.
        question: what the rater is asked, in place of what a minimal pair is.

    Raises:
        PlumblineError: the study was not run, or has fewer branches.
    """
    with _published(home, study) as connection:
        there = _frame(connection, PAIRS, study_id=study.study_id)
    named = _drawn(there["prompt_id"], n_pairs, seed, "pairs of a root prompt and a branch")
    drawn = there[there["prompt_id"].isin(named)]
    both = drawn["root_text"] + "\n" + drawn["text"]
    ids = [row_id(study.study_id, PAIR, prompt, text) for prompt, text in zip(drawn["prompt_id"], both, strict=True)]
    question_text = question or f"{_OF_PAIR}."
    rows = (
        drawn[["root_text", "text"]].map(_cut).assign(**{ROW_ID: ids, QUESTION_COLUMN: question_text, "measure": PAIR})
    )
    n_roots = drawn["root_prompt_id"].nunique()
    ordered = _in_order(study, rows, seed)
    return LabelSheet(ordered, ALLOWED_OF_PAIRS, n_roots, there["root_prompt_id"].nunique(), f"{study.study_id}_pairs")


def _measure(study: Study, name: str) -> Measure:
    measures = {measure.measure_id: measure for measure in resolve_measures(study)}
    if make_id(name) not in measures:
        # people label what was said first, seldom whether a label was found
        offered = sorted(measures, key=lambda measure_id: measure_id.endswith((UNSCORED, UNDECIDED, UNDECIDED_AS_NO)))
        raise unknown_name(("--measure",), name, "a measure of the study", offered, "correct it")
    return measures[make_id(name)]


@contextmanager
def _published(home: Home, study: Study) -> Iterator[duckdb.DuckDBPyConnection]:
    """The published tables under the names that stages know."""
    got, remedy = Told("no published run of it"), f"run it first: plumbline run {study.study_id}"
    never_run = StudyError(study.path, got, "a study that was run", remedy)
    if not home.published.is_file():
        raise never_run
    require_names_of_today(home.published)
    with connect() as connection:
        connection.execute(f"attach {literal(str(home.published))} as published (read_only)")
        connection.execute("create schema raw")
        # of before there were controls: no prompt is one
        is_older = NEGATIVE_CONTROL not in columns_of_table(connection, "prompts")
        for table in _TABLES:
            added = f", null::varchar as {NEGATIVE_CONTROL}" if is_older and table == "prompts" else ""
            connection.execute(f"create view raw.{table} as select *{added} from published.main.{table}")
        if not connection.execute("from raw.prompts where study_id = ? limit 1", [study.study_id]).fetchall():
            raise never_run
        yield connection


def _frame(connection: duckdb.DuckDBPyConnection, query: str, **parameters: str) -> pd.DataFrame:
    return connection.execute(query, parameters).df()


def _drawn(there: Iterable[str], n: int, seed: int, what: str) -> Sequence[str]:
    known = sorted(there)
    if n > len(known):
        raise PlumblineError(
            "plumbline label-sheet", f"{n:,} asked for", f"at most {len(known):,} {what}", "ask for fewer"
        )
    return [known[index] for index in np.random.default_rng(seed).permutation(len(known))[:n]]


def _seen(connection: duckdb.DuckDBPyConnection, study: Study, measure: Measure) -> list[str]:
    query = """
        select distinct label from raw.measurements
        where study_id = ? and measure_id = ? and label is not null order by label
    """
    return [label for (label,) in connection.execute(query, [study.study_id, measure.measure_id]).fetchall()]


def _question(measure: Measure, allowed: Allowed) -> str:
    if measure.spec.scorer == REFUSAL:
        question = "Does the answer refuse to do what it was asked?"
    elif measure.spec.rubric is not None:
        question = " ".join(measure.spec.rubric.rubric.split())
    elif measure.kind == "continuous":
        question = f"Where does the answer stand on {measure.spec.name}?"
    elif measure.favourable is None and measure.kind == "binary":
        question = f"Does this hold of the answer: {measure.measure_id.replace('_', ' ')}?"
    else:
        question = f"Which label of {measure.spec.name} does the answer have?"
    return f"{question} Write {allowed.text}."


def _shown(
    study: Study, connection: duckdb.DuckDBPyConnection, drawn: pd.DataFrame, *, with_prompt: bool
) -> pd.DataFrame:
    """The texts of answers, whether they name the group of their prompt, and neutral prompts."""
    named = group_words(study, connection)
    vocabularies = Vocabularies(study, connection, named.levels, named.names)
    words = NeutralWords(named)

    def neutral(text: str, prompt: str) -> str:
        index = vocabularies.of_prompt(prompt)
        return text if index < 0 else words.written(text, *vocabularies.distinct[index])

    texts = list(zip(drawn["text"], drawn["prompt_id"], strict=True))
    shown = {
        "text": [_cut(text) for text, _ in texts],
        NAMES_GROUP: ["yes" if neutral(text, prompt) != text else "" for text, prompt in texts],
    }
    if with_prompt:
        prompt_texts = _prompt_texts(connection, study)
        shown = {"prompt": [_cut(neutral(prompt_texts.get(prompt) or "", prompt)) for _, prompt in texts], **shown}
    return pd.DataFrame(shown, dtype=object)


def _prompt_texts(connection: duckdb.DuckDBPyConnection, study: Study) -> Mapping[str, str | None]:
    query = f"select prompt_id, {AS_SHOWN} from raw.prompts where study_id = ?"
    return dict(connection.execute(query, [study.study_id]).fetchall())


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else text[:_MOST_CHARACTERS] + _CUT


def _in_order(study: Study, rows: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Shuffled, each row with its place: what is missing of a sheet that comes back is known by it."""
    # another stream than that of the draw
    order = np.random.default_rng([seed, 1]).permutation(len(rows))
    shuffled = rows.iloc[order].reset_index(drop=True)
    places = [f"{row_number} of {len(rows)}" for row_number in range(1, len(rows) + 1)]
    filled = shuffled.assign(**{SHEET_ROW: places, LABEL: "", "study": study.study_id})
    texts = [name for name in ("prompt", "root_text", "text", NAMES_GROUP) if name in filled]
    return filled[[SHEET_ROW, QUESTION_COLUMN, *texts, LABEL, ROW_ID, "study", "measure"]]

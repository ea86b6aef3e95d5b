"""Inference of one study: cells in, null, p, interval, q and verdict of every number out.

Belongs here: six functions with tables between. A part of a study, which holds some of its measures, gives first rows
and p; all together get sets and say which questions need more draws; the parts draw again; all get q; the parts look
a last time at the groups that are called; all get verdicts.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.changes.infer_changes import pair_questions, with_levels_of_pairs
from python_assets.infer.design.cells import MIXED_UNITS
from python_assets.infer.design.read_cells import with_held_factors
from python_assets.infer.draws.exchange import Floats
from python_assets.infer.formulas.verdict import Verdict, contrast_verdicts, index_verdicts, n_needed
from python_assets.infer.options import Options, options_of
from python_assets.infer.part import Frames, Part, united
from python_assets.infer.questions import Sets, adjusted_margin, with_levels, with_sets
from python_assets.infer.result import InferenceReason, first_of
from python_assets.infer.tables import QUESTION, SIZES, TABLES, write_tables
from python_assets.infer.tables import QUESTIONS as OF_PAIRS
from python_assets.study.base import ALL_PROMPTS, AS_WRITTEN_READING, OTHER_LANGUAGE, SIMILARITY, UNMATCHED
from python_assets.study.study import Study
from python_assets.warehouse.progress import SILENT, Progress

MOST_PERMUTATIONS: Final = 99_999
_MEASURE_SLICES: Final = "select measure_id, slice_id from raw.measure_slices order by all"
_OF_MODELS: Final = """
    select distinct grouping_id
    from raw.groupings join intermediate.int_model_factors using (study_id, factor)
"""
_MIXES_UNITS: Final = f"""
    select count(*) > 0 from intermediate.int_prompt_groups
    where slice_id = '{ALL_PROMPTS}' and scheme = '{MIXED_UNITS}'
"""
PowerRows = Callable[[pd.DataFrame, pd.DataFrame], pd.DataFrame]


class InferenceCounts(NamedTuple):
    """Rows written, and how many of them have a p or an interval."""

    n_contrasts: int
    n_disparities: int
    n_summary_statistics: int
    n_tested: int
    n_not_computable: int


def infer_study(
    connection: duckdb.DuckDBPyConnection,
    study: Study,
    power_rows: PowerRows | None = None,
    progress: Progress = SILENT,
    parts: Sequence[Part] | None = None,
) -> InferenceCounts:
    """Read the cells of a build file and write schema inference, in one transaction.

    Args:
        connection: to the build file of one study, after dbt has made schema intermediate.
        study: what it declares.
        power_rows: from all contrasts and comparisons of generations to the rows of design_power, without
            study_id.
        progress: is told how many draws are done.
        parts: that the measures of the study lie in; one part of all of them where None.

    Returns:
        How many rows came of it. The same cells give the same digits, whatever their order and the number of
        cores.

    Raises:
        ValueError: the file holds cells of several studies, or cells that contradict each other.

    Source: inference.md 1, 2 and 6; tables as architecture.md section 3.
    """
    options = options_of(study)
    parts = parts or [Part(connection, study, progress)]
    tables = united([part.first() for part in parts])
    if "questions" in tables:
        tables = _questions_in_sets(tables, _sets(connection, study))
        for questions, longer in _short_of_draws(tables["questions"], options):
            n_draws = longer.n_permutations
            progress.say(f"{len(questions):,} questions are at the smallest p there is: {n_draws:,} draws of each")
            tables = _replaced(tables, united([part.again(questions, longer) for part in parts]))
        tables = _with_levels(tables, options.alpha)
        questions, contrasts = tables["questions"], tables["contrasts"]
        ordered = {
            str(name): np.sort(of_set.p_value.dropna().to_numpy()) for name, of_set in questions.groupby("set_id")
        }
        looked_at = [part.last(contrasts, questions, ordered) for part in parts]
        tables = _with_verdicts({**tables, "contrasts": pd.concat(looked_at, ignore_index=True)}, options.alpha)
    tables = with_held_factors(tables, connection)
    if power_rows and "contrasts" in tables:
        tables["design_power"] = power_rows(tables["contrasts"], tables["generation_comparisons"])
    study_id = _study_id(connection)
    rows = {name: table.assign(study_id=study_id) for name, table in tables.items()}
    write_tables(connection, TABLES, rows)
    return _counts(tables)


def _sets(connection: duckdb.DuckDBPyConnection, study: Study) -> Sets:
    """The sets of a study, and what their rules need to know of its measures and groupings."""
    of_models = [name for (name,) in connection.execute(_OF_MODELS).fetchall()]
    return Sets(study.primary, study.question_sets, *_declared_measures(connection), of_models)


def _declared_measures(connection: duckdb.DuckDBPyConnection) -> tuple[list[str], dict[str, list[str]]]:
    """The measures of the primary set by its rule, and the slices of those asked in some prompts only."""
    of_extractor = dict(connection.execute("select measure_id, extractor from raw.measures").fetchall())
    measures = list(of_extractor)
    automatic = {"empty", "truncated", OTHER_LANGUAGE, *(f"{name}{UNMATCHED}" for name in measures)}
    automatic |= {f"{name}{AS_WRITTEN_READING}" for name in measures}
    # what a label was chosen by, one a label: the label itself is the question
    automatic |= {name for name, extractor in of_extractor.items() if extractor == SIMILARITY}
    slices: dict[str, list[str]] = {}
    for measure_id, slice_id in connection.execute(_MEASURE_SLICES).fetchall():
        slices.setdefault(measure_id, []).append(slice_id)
    own = {measure_id: found for measure_id, found in slices.items() if ALL_PROMPTS not in found}
    if connection.execute(_MIXES_UNITS).fetchone() == (True,):  # each slice is asked (inference.md 6.2)
        parts = {key: [name for name in found if name != ALL_PROMPTS] for key, found in slices.items()}
        own |= {key: found for key, found in parts.items() if found}
    return [name for name in measures if name not in automatic], own


def _questions_in_sets(tables: Frames, sets: Sets) -> Frames:
    """Tables whose questions, those of pairs of generations among them, have their set."""
    questions = pd.concat([tables["questions"], pair_questions(tables["generation_comparisons"])], ignore_index=True)
    return {**tables, "questions": with_sets(questions, sets)}


def _short_of_draws(questions: pd.DataFrame, options: Options) -> Iterator[tuple[pd.DataFrame, Options]]:
    """Yield the questions of a set at the smallest p there is, where that p decides whether they are called.

    Source: inference.md 6.5.
    """
    at_floor = (questions.p_value * (questions.n_draws + 1) <= 2 + 1e-6) & questions.is_permuted.astype(bool)
    for _, of_set in questions.groupby("set_id", sort=False):
        few = of_set[at_floor[of_set.index]]
        needed = int(np.ceil(2 * of_set.n_questions.iloc[0] / (options.alpha * max(len(few), 1)))) - 1
        more = min(needed, MOST_PERMUTATIONS)
        short = few[few.n_draws < more]
        if len(short):
            yield short, options.at_once(more)


def _replaced(tables: Frames, again: Frames) -> Frames:
    """Tables with the rows of the questions that were asked again in the place of the earlier ones."""
    kept = ["set_id", "n_questions"]
    of_sets = tables["questions"][[*QUESTION, *kept]]
    again = {**again, "questions": again["questions"].merge(of_sets, on=QUESTION, how="left", validate="one_to_one")}
    asked = pd.MultiIndex.from_frame(again["questions"][QUESTION])

    def mixed(rows: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
        is_kept = ~pd.MultiIndex.from_frame(rows[QUESTION]).isin(asked)
        return pd.concat([rows[is_kept], new], ignore_index=True)

    return {name: mixed(rows, again[name]) if name in again else rows for name, rows in tables.items()}


def _with_levels(tables: Frames, alpha: float) -> Frames:
    """Tables with q of questions, groups and pairs of generations; the questions of groups alone are left."""
    questions, contrasts = with_levels(tables["questions"], tables["contrasts"], alpha)
    pairs = with_levels_of_pairs(tables["generation_comparisons"], questions, alpha)
    questions = questions[~questions.statistic.isin(OF_PAIRS)].reset_index(drop=True)
    return {**tables, "questions": questions, "contrasts": contrasts, "generation_comparisons": pairs}


def _with_verdicts(tables: Frames, alpha: float) -> Frames:
    """Tables with the verdict of every row that tests something, and how many root prompts an open one needs."""
    questions, contrasts, disparities = (tables[name] for name in ("questions", "contrasts", "disparities"))
    q_margin, q_equivalence = (adjusted_margin(questions, contrasts, name) for name in ("p_margin", "p_equivalence"))
    verdict = contrast_verdicts(contrasts, q_margin, q_equivalence, alpha)
    contrasts = contrasts.assign(
        value_cells=contrasts.value,
        verdict=first_of([~contrasts.contrast.isin(SIZES).to_numpy()], [verdict]),
        n_needed=np.where(verdict == Verdict.INCONCLUSIVE, _n_needed(questions, contrasts, alpha), np.nan),
    )
    disparities = disparities.merge(questions[[*QUESTION, "q_value"]], on=QUESTION, how="left", validate="many_to_one")
    is_descriptive = (disparities.inference_reason == InferenceReason.DESCRIPTIVE).to_numpy()
    disparities = disparities.assign(
        value_cells=disparities.value,
        verdict=first_of([~is_descriptive], [index_verdicts(disparities, alpha)]),
        q_value=disparities.q_value.where(disparities.p_value.notna()),
    )
    return {**tables, "contrasts": contrasts, "disparities": disparities}


def _n_needed(questions: pd.DataFrame, contrasts: pd.DataFrame, alpha: float) -> Floats:
    """Root prompts at which the verdict would be settled, at the level of the whole set."""
    n_groups = contrasts.groupby(QUESTION, sort=False).p_value.transform("count")
    n_tests = n_groups * contrasts.n_questions / contrasts.n_called.clip(lower=1)
    effect = (contrasts[name].to_numpy(dtype=float) for name in ("value", "sd", "margin"))
    needed = n_needed(*effect, alpha=alpha, n_tests=n_tests.clip(lower=1).to_numpy(dtype=float))
    # without spread, or with so many root prompts already, the formula knows nothing that q does not
    says_nothing = (contrasts.sd.to_numpy() == 0) | (needed <= contrasts.n_root_prompts.to_numpy())
    return np.where(says_nothing, np.nan, needed)


def _study_id(connection: duckdb.DuckDBPyConnection) -> str:
    query = "select distinct study_id from intermediate.int_cells order by study_id"
    found = [study_id for (study_id,) in connection.execute(query).fetchall()]
    if len(found) > 1:
        raise ValueError(f"int_cells holds several studies, {', '.join(found)}; a build file holds one")
    return found[0] if found else ""


def _counts(tables: Frames) -> InferenceCounts:
    n_rows = [len(tables.get(name, ())) for name in ("contrasts", "disparities", "summary_statistics")]
    p_values = {name: rows.p_value for name, rows in tables.items() if "p_value" in rows}
    n_tested = sum(int(p_values[name].notna().sum()) for name in ("contrasts", "disparities") if name in p_values)
    n_open = int(p_values["questions"].isna().sum()) if "questions" in p_values else 0
    return InferenceCounts(n_rows[0], n_rows[1], n_rows[2], n_tested, n_open)

"""Inference of one study: cells in, null, p, interval, q and verdict of every number out.

Belongs here: the order of things: questions asked, corrected in sets, looked at again, judged and written.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Final, NamedTuple, Protocol

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.cells import MIXED_UNITS
from python_assets.infer.change_rows import QUESTIONS as OF_PAIRS
from python_assets.infer.compare_generations import COLUMNS as COMPARISON_COLUMNS
from python_assets.infer.compare_generations import (
    compare_generations,
    pair_questions,
    with_levels_of_pairs,
)
from python_assets.infer.held_factors import with_held_factors
from python_assets.infer.layout import Layout
from python_assets.infer.margins import with_permuted_margins
from python_assets.infer.peeling import peeled
from python_assets.infer.permutation import Floats
from python_assets.infer.power import n_needed
from python_assets.infer.questions import QUESTION, SIZES, Sets, adjusted_margin, with_levels, with_sets
from python_assets.infer.read_cells import designs
from python_assets.infer.reasons import InferenceReason, first_of
from python_assets.infer.rows import Table
from python_assets.infer.scheme import Options, Settings
from python_assets.infer.truth_rows import truth_rows
from python_assets.infer.verdict import Verdict, contrast_verdicts, index_verdicts
from python_assets.infer.write_tables import Columns, write_tables
from python_assets.study.analysis import QuestionSet
from python_assets.study.base import ALL_PROMPTS, OTHER_LANGUAGE, SIMILARITY, UNMATCHED, Against
from python_assets.warehouse.progress import SILENT, Progress, Tell

MOST_PERMUTATIONS: Final = 99_999
DRAWS: Final = "draws"
_MEASURE_SLICES: Final = "select measure_id, slice_id from raw.measure_slices order by all"
_OF_MODELS: Final = """
    select distinct grouping_id
    from raw.groupings join intermediate.int_model_factors using (study_id, factor)
"""
_MIXES_UNITS: Final = f"""
    select count(*) > 0 from intermediate.int_prompt_groups
    where slice_id = '{ALL_PROMPTS}' and scheme = '{MIXED_UNITS}'
"""
_KEYS = "study_id slice_id generation_id measure_id calibration grouping_id statistic parameters"
_TESTED = {
    "value_cells": "double",
    "null_median": "double",
    "null_q95": "double",
    "ci_low": "double",
    "ci_high": "double",
    "p_value": "double",
    "q_value": "double",
    "margin": "double",
    "verdict": "varchar",
    "n_root_prompts": "bigint",
    "n_units": "bigint",
    "method": "varchar",
    "scope": "varchar",
    "inference_reason": "varchar",
}
TABLES: Final[Columns] = {
    "questions": {
        **dict.fromkeys(_KEYS.split(), "varchar not null"),
        "set_id": "varchar not null",
        "n_questions": "bigint not null",
        "p_value": "double",
        "q_value": "double",
        "n_groups": "bigint not null",
        "n_root_prompts": "bigint",
        "n_units": "bigint",
        "method": "varchar",
        "scope": "varchar",
        "inference_reason": "varchar",
    },
    "contrasts": {
        **dict.fromkeys(f"{_KEYS} group_id contrast category reference".split(), "varchar not null"),
        **_TESTED,
        "set_id": "varchar not null",
        "n_questions": "bigint not null",
        "std_error": "double",
        "p_value_maxt": "double",
        "n_needed": "bigint",
        "value_without": "double",
        "only_because_of": "varchar",
    },
    "disparities": {
        **dict.fromkeys(f"{_KEYS} category metric".split(), "varchar not null"),
        **_TESTED,
        "value_corrected": "double",
    },
    "generation_comparisons": COMPARISON_COLUMNS,
    "summary_statistics": {
        **dict.fromkeys(f"{_KEYS} group_id category".split(), "varchar not null"),
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
PowerRows = Callable[[pd.DataFrame, pd.DataFrame], pd.DataFrame]


class Analysis(Settings, Protocol):
    """What a study declares; margins by contrast or metric, or by measure and then by those."""

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
    def compared_with(self) -> str | None:
        """The generation or role that others are compared with; the first generation where None."""

    @property
    def primary(self) -> QuestionSet | None:
        """The questions that the study is about; None where the rule of inference.md 6.2 says it."""

    @property
    def question_sets(self) -> Mapping[str, QuestionSet]:
        """Further sets that are corrected by themselves."""


class InferenceCounts(NamedTuple):
    """Rows written, and how many of them have a p or an interval."""

    n_contrasts: int
    n_disparities: int
    n_summary_statistics: int
    n_tested: int
    n_not_computable: int


def infer_study(
    connection: duckdb.DuckDBPyConnection,
    analysis: Analysis,
    power_rows: PowerRows | None = None,
    progress: Progress = SILENT,
) -> InferenceCounts:
    """Read the cells of a build file and write schema inference, in one transaction.

    Args:
        connection: to the build file of one study, after dbt has made schema intermediate.
        analysis: what the study declares.
        power_rows: from all contrasts and comparisons of generations to the rows of design_power, without
            study_id.
        progress: is told how many draws are done.

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
        contrasts=tuple(analysis.requested_contrasts),
    )
    layouts = [
        Layout(connection, slice_id, grouping_id, has_unit=analysis.unit is not None)
        for slice_id, grouping_id in designs(connection)
    ]
    tables = _joined(chain(_all_rows(layouts, options, progress), truth_rows(connection, options)))
    cells = [layout.cells for layout in layouts]
    tables["generation_comparisons"] = compare_generations(connection, cells, analysis, options)
    of_models = [name for (name,) in connection.execute(_OF_MODELS).fetchall()]
    sets = Sets(analysis.primary, analysis.question_sets, *_declared_measures(connection), of_models)
    if "questions" in tables:
        tables = _judged(tables, layouts, sets, options, progress)
    tables = with_held_factors(tables, connection)
    if power_rows and "contrasts" in tables:
        tables["design_power"] = power_rows(tables["contrasts"], tables["generation_comparisons"])
    study_id = _study_id(connection)
    rows = {name: table.assign(study_id=study_id) for name, table in tables.items()}
    write_tables(connection, TABLES, rows)
    return _counts(tables)


def _all_rows(layouts: Sequence[Layout], options: Options, progress: Progress) -> Iterator[tuple[str, Table]]:
    n_draws = [layout.n_draws(options) for layout in layouts]
    tell, n_before = progress.start("inference", DRAWS, sum(n_draws)), 0
    for layout, n in zip(layouts, n_draws, strict=True):
        yield from layout.rows(options, partial(_tell_after, tell, n_before))
        n_before += n


def _tell_after(tell: Tell, n_before: int, n_done: int) -> None:
    tell(n_before + n_done)


def _joined(parts: Iterable[tuple[str, Table]]) -> dict[str, pd.DataFrame]:
    """All rows of every table."""
    found: dict[str, list[Table]] = {}
    for name, part in parts:
        found.setdefault(name, []).append(part)
    return {
        name: pd.DataFrame({key: np.concatenate([one[key] for one in rows]) for key in rows[0]})
        for name, rows in found.items()
    }


def _declared_measures(
    connection: duckdb.DuckDBPyConnection,
) -> tuple[list[str], dict[str, list[str]]]:
    """The measures of the primary set by its rule, and the slices of those asked in some prompts only."""
    of_extractor = dict(connection.execute("select measure_id, extractor from raw.measures").fetchall())
    measures = list(of_extractor)
    automatic = {"empty", "truncated", OTHER_LANGUAGE, *(f"{name}{UNMATCHED}" for name in measures)}
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


def _judged(
    tables: dict[str, pd.DataFrame],
    layouts: Sequence[Layout],
    sets: Sets,
    options: Options,
    progress: Progress,
) -> dict[str, pd.DataFrame]:
    """Add sets, q and verdicts; draw on and look again where that decides."""
    pairs = tables["generation_comparisons"]
    every_question = pd.concat([tables["questions"], pair_questions(pairs)], ignore_index=True)
    tables = {**tables, "questions": with_sets(every_question, sets)}
    tables = _drawn_on(tables, layouts, sets, options, progress)
    questions, contrasts, disparities = (tables[name] for name in ("questions", "contrasts", "disparities"))
    questions, contrasts = with_levels(questions, contrasts, options.alpha)
    pairs = with_levels_of_pairs(pairs, questions, options.alpha)
    questions = questions[~questions.statistic.isin(OF_PAIRS)].reset_index(drop=True)
    by_place = {(one.cells.slice_id, one.cells.grouping_id): one for one in layouts}
    contrasts = with_permuted_margins(contrasts, by_place, options)
    q_margin, q_equivalence = (
        adjusted_margin(questions, contrasts, name) for name in ("p_margin", "p_equivalence")
    )
    verdict = contrast_verdicts(contrasts, q_margin, q_equivalence, options.alpha)
    tests_nothing = contrasts.contrast.isin(SIZES).to_numpy()
    contrasts = contrasts.assign(
        value_cells=contrasts.value,
        verdict=first_of([~tests_nothing], [verdict]),
        n_needed=np.where(
            verdict == Verdict.INCONCLUSIVE, _n_needed(questions, contrasts, options.alpha), np.nan
        ),
    )
    contrasts = peeled(contrasts, questions, by_place, options)
    keys = questions[[*QUESTION, "q_value"]]
    disparities = disparities.merge(keys, on=QUESTION, how="left", validate="many_to_one")
    is_descriptive = (disparities.inference_reason == InferenceReason.DESCRIPTIVE).to_numpy()
    disparities = disparities.assign(
        value_cells=disparities.value,
        verdict=first_of([~is_descriptive], [index_verdicts(disparities, options.alpha)]),
        q_value=disparities.q_value.where(disparities.p_value.notna()),
    )
    judged = {"questions": questions, "contrasts": contrasts, "disparities": disparities}
    return {**tables, **judged, "generation_comparisons": pairs}


def _drawn_on(
    tables: dict[str, pd.DataFrame],
    layouts: Sequence[Layout],
    sets: Sets,
    options: Options,
    progress: Progress,
) -> dict[str, pd.DataFrame]:
    """Draw more for the questions at the smallest p there is, where that p decides whether they are called.

    Source: inference.md 6.5.
    """
    questions = tables["questions"]
    is_mean = questions.statistic.isin(
        ["mean", "share", "selection_rate", "precision"]
    ) & ~questions.parameters.str.contains("normalise")
    n_draws = np.where(is_mean, options.n_permutations, options.n_draws_nonlinear)
    at_floor = (questions.p_value * (n_draws + 1) <= 2 + 1e-6) & questions.method.str.startswith(
        "permuted", na=False
    )
    for _, of_set in questions.groupby("set_id", sort=False):
        few = of_set[at_floor[of_set.index]]
        n_called = max(len(few), 1)
        needed = int(np.ceil(2 * of_set.n_questions.iloc[0] / (options.alpha * n_called))) - 1
        more = min(needed, MOST_PERMUTATIONS)
        short = few[n_draws[few.index] < more]
        if not len(short):
            continue
        longer = options._replace(n_permutations=more, n_nonlinear=more)
        progress.say(f"{len(short):,} questions are at the smallest p there is: {more:,} draws of each")
        found = _joined(part for layout in layouts for part in layout.again(short, longer))
        found["questions"] = with_sets(found["questions"], sets)
        tables = {
            name: _replaced(table, found[name]) if name in found else table for name, table in tables.items()
        }
    return tables


def _replaced(rows: pd.DataFrame, again: pd.DataFrame) -> pd.DataFrame:
    """Rows with those of the questions that were asked again in their place."""
    old = pd.MultiIndex.from_frame(rows[QUESTION])
    is_kept = ~old.isin(pd.MultiIndex.from_frame(again[QUESTION]))
    if "n_questions" in rows:  # of the whole set
        again = again.assign(n_questions=rows[~is_kept].n_questions.iloc[0])
    return pd.concat([rows[is_kept], again], ignore_index=True)


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


def _counts(tables: dict[str, pd.DataFrame]) -> InferenceCounts:
    def count(table: str, which: Callable[[pd.DataFrame], pd.Series]) -> int:
        return int(which(tables[table]).sum()) if table in tables else 0

    n_rows = {table: len(tables[table]) if table in tables else 0 for table in TABLES}
    return InferenceCounts(
        n_rows["contrasts"],
        n_rows["disparities"],
        n_rows["summary_statistics"],
        sum(count(table, lambda rows: rows.p_value.notna()) for table in ("contrasts", "disparities")),
        count("questions", lambda rows: rows.p_value.isna()),
    )

"""Every question that a study asks, known before any answer: what a plan freezes and what inference accounts for.

Belongs here: which questions a design has. Which set they are in is infer/hypotheses.py; what came of them is dbt's
mart hypotheses. What only the answers can tell, readings of other languages or of texts as written, is not declared.

Source: inference.md 6.1, 6.2 and 6.11.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final, NamedTuple

import duckdb
import pandas as pd

from python_assets.extract.baseline import baselines_of
from python_assets.extract.ground_truth import truth_groupings
from python_assets.extract.measures import Measure, resolve_measures
from python_assets.infer.changes.pairs_of_systems import SystemPair, compared_pairs, systems_of
from python_assets.infer.design.cells import MIXED_UNITS, NONLINEAR
from python_assets.infer.design.repeated_controls import without_repeated
from python_assets.infer.hypotheses import Families, families_of, family_ids
from python_assets.infer.tables import (
    ACROSS,
    CORRECTED,
    DBI,
    GROUPS_CHANGED,
    HYPOTHESIS,
    LABEL_CALIBRATIONS,
    MEAN_CHANGE,
    PAIR_SIDES,
    Place,
)
from python_assets.study.base import ALL_PROMPTS, ALL_SYSTEMS, BASELINE, GROUND_TRUTH, parts_of
from python_assets.study.study import Kind, Study

MEAN_OF_KIND: Final[dict[Kind, str]] = {"continuous": "mean", "binary": "mean", "categorical": "share"}
_LAYOUTS: Final = f"""
    select
        slice_id, grouping_id, settings.slice_id is not null as is_of_models, bool_or(scheme = '{MIXED_UNITS}'),
        bool_and(scheme = 'blocked')
    from intermediate.int_prompt_groups
    left join (select distinct slice_id, grouping_id from intermediate.int_settings) as settings
        using (slice_id, grouping_id)
    group by all
    order by all
"""
_MEASURE_SLICES: Final = "select measure_id, slice_id from raw.measure_slices order by all"
_HAS_TEXTS: Final = r"select coalesce(bool_or(regexp_matches(baseline_text, '\S')), false) from raw.prompts"
# what reads the texts of a prompt's baseline as it reads answers
_READ_BASELINES: Final = ("text", "classifier", "judge", "clusters", "prototypes", "taxonomy")


class _Layout(NamedTuple):
    """A grouping in a slice."""

    slice_id: str
    grouping_id: str
    is_of_models: bool
    is_mixed: bool
    is_blocked: bool


class _Baselines(NamedTuple):
    """Whether prompts have baseline texts, and which generations are calibrated against another one.

    against: None where the study names no generation as its baseline.
    """

    has_texts: bool
    against: frozenset[str] | None

    def is_measured(self, measure: Measure) -> bool:
        """Whether the texts have values of the measure themselves."""
        return self.has_texts and _reads_baselines(measure)

    def calibrate(self, measure: Measure, system_id: str) -> bool:
        """Whether values of a generation have a baseline beside them."""
        if measure.kind != "continuous" or system_id == BASELINE:
            return False
        if self.against is None:
            return self.is_measured(measure)
        return system_id in self.against or (system_id == ALL_SYSTEMS and bool(self.against))


def _reads_baselines(measure: Measure) -> bool:
    """Whether baseline texts have values of the measure as answers do; those of an import have a column."""
    if measure.reads == "column":
        return measure.kind == "continuous" and measure.spec.baseline_column is not None
    return measure.reads in _READ_BASELINES


def declared_of_build(study: Study, connection: duckdb.DuckDBPyConnection) -> pd.DataFrame:
    """The declared questions of a build file whose answers are there; arguments and result as declared_hypotheses."""
    pairs = compared_pairs(connection, study.compared_with)
    return declared_hypotheses(study, connection, systems_of(connection), pairs)


def declared_hypotheses(
    study: Study, connection: duckdb.DuckDBPyConnection, systems: Sequence[str], pairs: Sequence[SystemPair]
) -> pd.DataFrame:
    """Every question that is declared, or of a set by its rule.

    Args:
        study: the study.
        connection: with its prompts, design tables, int_prompt_groups, int_answers and int_settings.
        systems: their ids, without the baseline texts.
        pairs: of generations that are compared.

    Returns:
        HYPOTHESIS and PAIR_SIDES, of pairs with the two generations, and family_id; each question once. Negative
        controls that several slices share are asked of in the first of them alone.
    """
    layouts = [_Layout(*row) for row in connection.execute(_LAYOUTS).fetchall()]
    measure_slices: list[tuple[str, str]] = connection.execute(_MEASURE_SLICES).fetchall()
    measures = {measure.measure_id: measure for measure in resolve_measures(study)}
    # what is written beside a measure is asked where an answer tells it, and is never the study's own question
    known = [(measures[name], slice_id) for name, slice_id in measure_slices if name in measures]
    against = None if study.baseline is None else frozenset(baselines_of(study, systems))
    has_texts = connection.execute(_HAS_TEXTS).fetchone() == (True,)
    baselines = _Baselines(has_texts, against)
    rows = [
        *_of_groups(study, layouts, known, systems, baselines),
        *_of_truths(study, connection, layouts, known, systems),
        *_of_pairs(study, layouts, known, pairs, baselines),
    ]
    hypotheses = without_repeated(connection, pd.DataFrame(rows, columns=[*HYPOTHESIS, *PAIR_SIDES]))
    corrected = frozenset(_corrected(study, layouts, systems))
    families = _families(study, layouts, measure_slices)._replace(corrected=corrected)
    return hypotheses.assign(family_id=family_ids(hypotheses, families))


def _labelled(study: Study) -> set[str]:
    """The measures that the study names labels of."""
    return {labels.measure for labels in study.human_labels}


def _corrected(study: Study, layouts: Sequence[_Layout], systems: Sequence[str]) -> Iterator[Place]:
    """Yield where corrected values can be tested, if people labelled enough root prompts (inference.md 9.2)."""
    groupings = [one.grouping_id for one in layouts]
    for one, system, measure_id in product(layouts, systems, sorted(_labelled(study))):
        if one.is_blocked and not one.is_of_models and not parts_of(one.grouping_id, groupings):
            yield one.slice_id, one.grouping_id, system, measure_id
            yield one.slice_id, "", system, measure_id


def _families(study: Study, layouts: Sequence[_Layout], of_measures: Sequence[tuple[str, str]]) -> Families:
    return families_of(
        study,
        {measure.measure_id: measure.scorer for measure in resolve_measures(study)},
        of_measures,
        {one.grouping_id for one in layouts if one.is_of_models},
        {(one.slice_id, one.grouping_id) for one in layouts if one.is_of_models},
        mixes_units=any(one.is_mixed for one in layouts if one.slice_id == ALL_PROMPTS),
    )


def _of_groups(
    study: Study,
    layouts: Sequence[_Layout],
    measures: Sequence[tuple[Measure, str]],
    systems: Sequence[str],
    baselines: _Baselines,
) -> Iterator[tuple[str, ...]]:
    for layout, (measure, slice_id) in product(layouts, measures):
        if slice_id != layout.slice_id:
            continue
        text_systems = [BASELINE] if baselines.is_measured(measure) else []
        for system in [ALL_SYSTEMS] if layout.is_of_models else [*systems, *text_systems]:
            has_baseline = baselines.calibrate(measure, system)
            for statistic in _statistics(study, measure.kind, has_baseline=has_baseline):
                yield slice_id, system, layout.grouping_id, measure.measure_id, *statistic, "", ""
            if measure.measure_id in _labelled(study) and system not in (ALL_SYSTEMS, BASELINE):
                for calibration in LABEL_CALIBRATIONS.get(measure.kind, (CORRECTED,)):
                    label_statistic = (measure.measure_id, calibration, MEAN_OF_KIND[measure.kind], "")
                    yield slice_id, system, layout.grouping_id, *label_statistic, "", ""
        is_sized = measure.kind == "categorical" or (measure.kind == "continuous" and DBI in study.requested_contrasts)
        if is_sized and not layout.is_of_models and len(systems) > 1:
            statistic = ("raw", MEAN_OF_KIND[measure.kind], "")
            yield slice_id, ALL_SYSTEMS, layout.grouping_id, measure.measure_id, *statistic, "", ""


def _statistics(study: Study, kind: Kind, *, has_baseline: bool) -> Iterator[tuple[str, str, str]]:
    """Calibrations with the statistics, and their parameters, whose questions are asked of a measure of a kind."""
    calibrations = ["raw", "calibrated"] if has_baseline else ["raw"]
    yield from ((calibration, MEAN_OF_KIND[kind], "") for calibration in calibrations)
    if kind == "categorical":
        return
    for row in study.analysis.requested_statistics:
        is_own = row.statistic in NONLINEAR or (row.statistic == "mean" and row.normalise) or row.function_path
        is_rate = row.statistic in ("selection_rate", "precision")
        if row.normalise == "after" or not (is_own or (is_rate and kind == "continuous")):
            continue
        if not row.is_paired:
            yield from ((calibration, row.statistic, row.parameters) for calibration in calibrations)
        elif has_baseline:
            yield "raw", row.statistic, row.parameters


def _of_truths(
    study: Study,
    connection: duckdb.DuckDBPyConnection,
    layouts: Sequence[_Layout],
    measures: Sequence[tuple[Measure, str]],
    systems: Sequence[str],
) -> Iterator[tuple[str, ...]]:
    for truth in truth_groupings(study, connection):
        slices = [slice_id for measure, slice_id in measures if measure.measure_id == truth.measure_id]
        for layout in layouts:
            if layout.grouping_id == truth.grouping_id and layout.slice_id in slices and not layout.is_of_models:
                columns = (layout.grouping_id, truth.measure_id, "raw", GROUND_TRUTH, truth.parameters)
                yield from ((layout.slice_id, system, *columns, "", "") for system in systems)


def _of_pairs(
    study: Study,
    layouts: Sequence[_Layout],
    measures: Sequence[tuple[Measure, str]],
    pairs: Sequence[SystemPair],
    baselines: _Baselines,
) -> Iterator[tuple[str, ...]]:
    """The mean of all prompts once a slice, whatever groups they fall in, and groups of every grouping."""
    prompt_layouts = [one for one in layouts if not one.is_of_models]
    for (measure, slice_id), pair in product(measures, pairs):
        groupings = [one.grouping_id for one in prompt_layouts if one.slice_id == slice_id]
        is_calibrated = all(baselines.calibrate(measure, system) for system in pair)
        is_corrected = measure.measure_id in _labelled(study) and measure.kind in LABEL_CALIBRATIONS
        for calibration in ("raw", *["calibrated"] * is_calibrated, *[CORRECTED] * is_corrected):
            for grouping_id, statistic in [("", MEAN_CHANGE), *((name, GROUPS_CHANGED) for name in groupings)]:
                if groupings and (grouping_id or measure.kind != "categorical"):
                    columns = (grouping_id, measure.measure_id, calibration, statistic, "")
                    yield slice_id, ACROSS.join(pair), *columns, *pair


def preregistered_hypotheses(hypotheses: pd.DataFrame) -> list[dict[str, str]]:
    """The questions as table hypotheses tells them apart, with their set: sets in order of their names."""
    is_pair = hypotheses.own_system_id != ""
    system_id = hypotheses.own_system_id.where(is_pair, hypotheses.system_id)
    keys = ["family_id", "system_id", "reference_system_id", *(key for key in HYPOTHESIS if key != "system_id")]
    ordered = hypotheses.assign(system_id=system_id)[keys].sort_values(keys)
    return [{str(name): str(value) for name, value in row.items()} for row in ordered.to_dict("records")]

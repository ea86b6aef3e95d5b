"""What the design of a study can show: detectable effects, root prompts needed, and what they cost.

Belongs here: where the spread comes from, the study file, a pilot or the responses, and the rows of
inference.design_power: of contrasts, and of changes between generations. The formulas are expected_effects.py.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, TypedDict

import duckdb
import numpy as np
import pandas as pd

from python_assets.extract.measures import resolve_measures
from python_assets.infer.changes.pairs_of_systems import compared_pairs
from python_assets.infer.formulas import verdict
from python_assets.infer.formulas.looks import levels, power_by_look
from python_assets.infer.result import InferenceReason
from python_assets.infer.tables import INTERACTION, MEAN_CHANGE
from python_assets.plan import expected_effects
from python_assets.plan.comparisons import shapes_of_changes
from python_assets.plan.control_power import ControlledDesign, detectable_with_controls
from python_assets.plan.declared_hypotheses import declared_of_build
from python_assets.plan.expected_effects import Pilot, Spread
from python_assets.plan.group_models import fill_planned_cells
from python_assets.plan.labels import PlannedLabels, asks_labels, planned_labels
from python_assets.plan.observed_cells import observed_cells
from python_assets.plan.pilot import (
    CHANGES,
    OBSERVED,
    PILOT_CONTRASTS,
    Piloted,
    changes_of,
    contrast_of,
    contrasts_of,
    read_pilot,
    spread_or_nan,
)
from python_assets.plan.requested_hypotheses import NumberOfHypotheses, numbers_of_hypotheses
from python_assets.plan.schemes import planned_groupings
from python_assets.plan.shapes import Shape, shapes
from python_assets.plan.text import ASSUMED_WORDING, BestSplit, ControlledPower, PlannedControls, PowerRow
from python_assets.study.analysis import Power
from python_assets.study.base import ALL_PROMPTS, BASELINE, LEVEL_SEPARATOR
from python_assets.study.study import Study, make_id
from python_assets.warehouse import paths
from python_assets.warehouse.looks import planned_shares

_NO_EFFECT: Final = "no_effect_declared"
_NO_SPREAD: Final = "spread_unknown"
TOO_FEW: Final = "too_few_to_plan"
MORE_PROMPTS: Final = "more_prompts_needed"
DECLARED: Final = "declared"
PILOT: Final = "pilot"
PILOT_BY_DEFAULT: Final = "pilot, default interaction"


class _Known(NamedTuple):
    """A spread that is known of a contrast, and where from.

    sd: NaN where it is not known after all. shown: the rate or sd that stands in the row. slice_id: of the
    contrasts that it was observed in. spread: what the sd comes of, None where its parts are not known. rate: where
    the sd depends on the effect. sds: the range of a pilot's. pilot: what cells say that were observed. n_hypotheses:
    those of the set, where they were asked.
    """

    measure_id: str
    contrast: str
    source: str
    sd: float
    shown: float
    n_root_prompts: int
    slice_id: str = ALL_PROMPTS
    spread: Spread | None = None
    rate: float | None = None
    sds: tuple[float, float] | None = None
    pilot: Pilot | None = None
    n_hypotheses: int | None = None


def design_power_rows(
    study: Study, connection: duckdb.DuckDBPyConnection, observed: pd.DataFrame, comparisons: pd.DataFrame
) -> pd.DataFrame:
    """The rows of inference.design_power, after the responses.

    Args:
        study: the study.
        connection: its build file, with design tables, responses, values and the groups of prompts.
        observed: contrasts of inference with their keys, std_error, sd over root prompts, n_root_prompts and
            n_hypotheses.
        comparisons: of inference, with std_error and n_root_prompts.

    Returns:
        One row a grouping, measure, contrast or change, and source, without study_id. The sd observed is the
        root mean square over groups and generations, of the category with the largest.

    Raises:
        WarehouseError: the pilot is not published, says nothing about this study, or is of another design.
    """
    responses = connection.execute(
        "select system_id, prompt_id, count(*) as n from raw.responses where system_id <> ? group by all", [BASELINE]
    ).df()
    fill_planned_cells(connection, responses)
    groupings = planned_groupings(study, connection)
    group_shapes, pairs = shapes(study, connection, groupings), compared_pairs(connection, study.compared_with)
    changed = shapes_of_changes(connection, group_shapes, pairs)
    n_hypotheses = numbers_of_hypotheses(declared_of_build(study, connection), connection, groupings, changed)
    rows = [*planned_power(study, group_shapes, changed, n_hypotheses)]
    for shape in group_shapes:
        seen = [*_observed(observed, shape, {contrast_of(shape, one) for one in PILOT_CONTRASTS.values()})]
        slices = [] if shape.is_nested else {known.slice_id for known in seen}
        cells = {slice_id: observed_cells(connection, slice_id, shape.grouping_id) for slice_id in slices}
        for known in seen:
            pilot = cells.get(known.slice_id, {}).get(known.measure_id)
            rows.append(_power_row(study, shape, _with_cells(known, shape, pilot), n_hypotheses))
    change_contrasts = _changes_as_contrasts(comparisons)
    for shape in changed:
        rows += [
            _power_row(study, shape, known, n_hypotheses)
            for known in _observed(change_contrasts, shape, {*changes_of(shape)})
        ]
    columns = PowerRow._fields[: PowerRow._fields.index("reason") + 1]
    return pd.DataFrame([row[: len(columns)] for row in rows], columns=columns)


def planned_power(
    study: Study,
    shapes: list[Shape],
    changed: list[Shape],
    asked: NumberOfHypotheses,
    controls: PlannedControls | None = None,
) -> Iterator[PowerRow]:
    """Yield what is known before the responses: from declared spreads, and from a pilot.

    Args:
        study: the study.
        shapes: the shapes of its groupings.
        changed: of shapes_of_changes.
        asked: of numbers_of_hypotheses.
        controls: negative controls of the study, None where it has none.

    Raises:
        WarehouseError: the pilot is not published, says nothing about this study, or is of another design.
    """
    kinds = {measure.measure_id: measure.kind for measure in resolve_measures(study)}
    piloted = read_pilot(study, paths.home().published, shapes) if study.analysis.pilot else {}
    for is_change, all_shapes in ((False, shapes), (True, changed)):
        for shape in (shape for shape in all_shapes if shape.n_groups >= 2):
            rows = piloted.get(shape.grouping_id, [])
            cells = {row.measure_id: row.pilot for row in rows if row.contrast not in CHANGES}
            declared = _declared(study, shape, cells, of_changes=is_change)
            pilot_rows = [
                _of_pilot(row, cells.get(row.measure_id), shape)
                for row in rows
                if (row.contrast in CHANGES) == is_change
            ]
            for known in (*declared, *pilot_rows):
                row = _power_row(study, shape, known, asked)
                df = None if controls is None or kinds[known.measure_id] == "categorical" else controls.df
                alpha = study.alpha / (row.n_tests / shape.n_comparisons)  # of the hypothesis, not of its groups
                power = _power_of(study, known.measure_id)
                yield row._replace(with_controls=_with_controls(shape, known, row, df, alpha=alpha, power=power))


def _with_controls(
    shape: Shape, known: _Known, row: PowerRow, df: int | None, *, alpha: float, power: float
) -> ControlledPower | None:
    """What is found of a mean or rate beside controls; None where they say nothing of it."""
    detects = row.minimum_detectable_effect
    is_of_means = not shape.is_nested and known.contrast not in (*CHANGES, INTERACTION)
    if df is None or detects is None or not is_of_means:
        return None
    one = Spread(1.0, 0.0, shape.n_groups, 1)
    cell_sd = known.sd / expected_effects.sd_of_difference(one, shape.against)
    design = ControlledDesign(shape.n_groups, row.n_root_prompts, df, cell_sd, 0.0, alpha)
    wording_sd = ASSUMED_WORDING * cell_sd
    detected = [detectable_with_controls(design._replace(wording_sd=sd), power) for sd in (0.0, wording_sd)]
    # controls take findings away and add none
    still, moved = (_or_none(float(np.maximum(detects, one))) for one in detected)
    return ControlledPower(still, wording_sd, moved)


def _declared(study: Study, shape: Shape, cells: Mapping[str, Pilot | None], *, of_changes: bool) -> Iterator[_Known]:
    contrasts = contrasts_of(study)
    for name, spec in study.analysis.power.items():
        measure_id = make_id(name)
        spread = _spread_of(spec, shape, cells.get(measure_id))
        if (n_beside := _n_beside(study, shape)) is not None:
            spread = expected_effects.spread_of_wordings(spread, n_beside)
        if of_changes:
            for change in changes_of(shape):
                yield _known(measure_id, change, shape, sd=_sd(spread, shape, change), spread=spread, rate=spec.rate)
            continue
        contrast = contrast_of(shape, contrasts[measure_id])
        if _lacks_correlation(spec, shape):
            yield _known(measure_id, contrast, shape, sd=np.nan)
        else:
            sd = _sd(spread, shape, contrast)
            yield _known(measure_id, contrast, shape, sd=sd, shown=spec.rate, spread=spread, rate=spec.rate)


def _spread_of(spec: Power, shape: Shape, pilot: Pilot | None) -> Spread:
    prompt_by_group_share = spec.prompt_by_group_share
    if prompt_by_group_share is None:
        known = expected_effects.DEFAULT_SHARE if pilot is None else pilot.prompt_by_group_share
        prompt_by_group_share = min(known, 1 - spec.correlation)
    spread = Spread(
        sd=spec.sd or 0.0,
        correlation=spec.correlation,
        n_groups=shape.n_groups,
        n_responses=shape.n_responses_of_group,
        is_nested=shape.is_nested,
        prompt_by_group_share=prompt_by_group_share,
        left=_left(shape),
    )
    return spread if spec.rate is None else expected_effects.spread_of_rate(spec.rate, spec.effect, spread)


def _n_beside(study: Study, shape: Shape) -> int | None:
    """Prompts of a group on one text, where groups stand in wordings; None elsewhere."""
    grouping = shape.grouping_id.split(LEVEL_SEPARATOR)
    if not study.has_wordings(grouping):
        return None
    factors = {name for units in study.prompts.wordings.values() for name in units.nested_in if name not in grouping}
    return math.prod(len(study.factors[name].levels or [""]) for name in factors)


def _left(shape: Shape) -> float | None:
    return None if shape.beyond is None else shape.beyond.left


def _sd(spread: Spread, shape: Shape, contrast: str) -> float:
    if contrast in CHANGES:
        return expected_effects.sd_of_change(spread, of_mean=contrast == MEAN_CHANGE)
    return expected_effects.sd_of_difference(spread, shape.against)


def _known(
    measure_id: str,
    contrast: str,
    shape: Shape,
    *,
    sd: float,
    shown: float | None = None,
    spread: Spread | None = None,
    rate: float | None = None,
) -> _Known:
    return _Known(
        measure_id=measure_id,
        contrast=contrast,
        source=DECLARED,
        sd=sd,
        shown=sd if shown is None else shown,
        n_root_prompts=shape.n_root_prompts,
        spread=spread,
        rate=rate,
    )


def _of_pilot(row: Piloted, pilot: Pilot | None, shape: Shape) -> _Known:
    """A row of the pilot in the design of the study: as observed where cells tell nothing."""
    known = _Known(row.measure_id, row.contrast, PILOT, row.sd, row.sd, row.n_root_prompts)
    if pilot is None or np.isnan(row.sd):
        limits = expected_effects.sd_range(np.array(row.sd), np.array(row.n_root_prompts))
        return known._replace(sds=(float(limits[0]), float(limits[1])))
    design_spread, *ends = (
        _spread_of_pilot(pilot, shape, shape.n_groups, shape.n_responses_of_group, mean_square=mean_square)
        for mean_square in (pilot.mean_square, *expected_effects.mean_square_range(pilot))
    )
    # of changes the pilot has an sd of its own: what its prompts do to groups of both generations is in it
    there = _spread_of_pilot(pilot, shape, pilot.n_groups, pilot.n_responses)
    scale = row.sd / _sd(there, shape, row.contrast) if row.contrast in CHANGES else 1.0
    sd, low, high = (scale * _sd(spread, shape, row.contrast) for spread in (design_spread, *ends))
    source = PILOT if pilot.tells_interaction else PILOT_BY_DEFAULT
    return known._replace(source=source, sd=sd, shown=sd, sds=(low, high), spread=design_spread)


def _with_cells(known: _Known, shape: Shape, pilot: Pilot | None) -> _Known:
    """What was observed, with what its cells say; the parts of its spread where they are told apart."""
    if pilot is None:
        return known
    known = known._replace(pilot=pilot)
    if not pilot.tells_interaction or np.isnan(known.sd):
        return known
    return known._replace(spread=_spread_of_pilot(pilot, shape, shape.n_groups, pilot.n_responses))


def _spread_of_pilot(
    pilot: Pilot, shape: Shape, n_groups: int, n_responses: float, *, mean_square: float | None = None
) -> Spread:
    spread = expected_effects.spread_of_pilot(pilot, n_groups, n_responses, mean_square)
    return spread._replace(left=_left(shape))


def _lacks_correlation(spec: Power, shape: Shape) -> bool:
    """Whether nothing says how alike responses of one unit are, on which the spread of units hangs."""
    return shape.is_nested and shape.n_responses_of_group > 1 and "correlation" not in spec.model_fields_set


def power_warnings(study: Study, found: list[Shape]) -> Iterator[str]:
    """What has to be declared before the plan can tell what the design can show.

    Args:
        study: the study.
        found: the shapes of its groupings.
    """
    for shape in (shape for shape in found if shape.n_groups >= 2 and shape.reason is None):
        lacking = [name for name, spec in study.analysis.power.items() if _lacks_correlation(spec, shape)]
        for name in lacking:
            yield (
                f"grouping {shape.grouping_id}: no power of {name}, because a unit has several responses of "
                "one group: add correlation:, how alike two of them are (0 to 1), under "
                f"analysis.power.{name}"
            )


def _changes_as_contrasts(comparisons: pd.DataFrame) -> pd.DataFrame:
    """Rows of comparisons under the names that those of contrasts have."""
    rows = comparisons[comparisons.comparison.isin(CHANGES)]
    n = rows.get("n_units", rows.n_root_prompts).fillna(rows.n_root_prompts).astype(float)
    sd = rows.std_error * np.sqrt(n)
    return rows.assign(contrast=rows.comparison, system_id=rows.system_id, sd=sd, n_root_prompts=n)


def _observed(observed: pd.DataFrame, shape: Shape, contrasts: set[str]) -> Iterator[_Known]:
    is_mean = observed.contrast == MEAN_CHANGE  # of all prompts, whatever they are grouped by
    if "n_units" in observed:  # what an sd is over: wordings hold several root prompts each
        n_units_or_prompts = np.fmin(observed.n_root_prompts.astype(float), observed.n_units.astype(float))
        observed = observed.assign(n_root_prompts=n_units_or_prompts)
    if shape.is_nested:  # no group has a difference on one unit, so that its error stands for the spread
        n_units = float(shape.n_root_prompts)
        observed = observed.assign(
            sd=observed.sd.where(is_mean, observed.std_error * np.sqrt(n_units)),
            n_root_prompts=observed.n_root_prompts.where(is_mean, n_units),
        )
    rows = observed[
        ((observed.grouping_id == shape.grouping_id) | is_mean)
        & (observed.system_id != BASELINE)
        & (observed.calibration == "raw")
        & observed.contrast.isin(contrasts)
    ]
    for (measure_id, contrast), contrast_rows in rows.groupby(["measure_id", "contrast"], sort=True):
        slice_id = _widest_slice(contrast_rows)
        slice_rows = contrast_rows[contrast_rows.slice_id == slice_id]
        squares = (slice_rows.sd**2).groupby(slice_rows.category).mean()
        sd = spread_or_nan(float(np.sqrt(squares.max())))
        n = _n_root_prompts(slice_rows.n_root_prompts)
        yield _Known(
            measure_id=str(measure_id),
            contrast=str(contrast),
            source=OBSERVED,
            sd=sd,
            shown=sd,
            n_root_prompts=n,
            slice_id=slice_id,
            n_hypotheses=_n_hypotheses(slice_rows),
        )


def _n_hypotheses(rows: pd.DataFrame) -> int | None:
    """Questions of the set; None where the rows are of changes, which are not counted beside them."""
    return int(rows.n_hypotheses.max()) if "n_hypotheses" in rows and rows.n_hypotheses.notna().any() else None


def _widest_slice(rows: pd.DataFrame) -> str:
    """The slice of all prompts, or the one with most root prompts where a measure is not in it."""
    return str(rows.groupby("slice_id").n_root_prompts.agg(_n_root_prompts).sort_index().idxmax())


def _n_root_prompts(counts: "pd.Series[float]") -> int:
    """The median over rows that have any; 0 where none has."""
    some = counts[counts > 0]
    return int(some.median()) if len(some) else 0


def _power_row(study: Study, shape: Shape, known: _Known, asked: NumberOfHypotheses) -> PowerRow:
    # responses of a slice may be compared where those of all prompts are not
    refused = shape.reason if known.slice_id == ALL_PROMPTS or np.isnan(known.sd) else None
    if known.contrast == MEAN_CHANGE and refused is not InferenceReason.MIXED_UNITS:
        refused = None  # it holds no group against another
    if refused:
        known = known._replace(sd=np.nan, shown=np.nan, spread=None, sds=None)
    spec = _declared_power(study, known.measure_id)
    n_hypotheses = known.n_hypotheses or asked.get((shape.grouping_id, known.measure_id, known.contrast in CHANGES), 1)
    options = _PowerOptions(
        # what an earlier look has not called is left to the last one
        alpha=levels(planned_shares(study), study.alpha)[-1] if study.looks else study.alpha,
        n_tests=n_hypotheses * (1 if known.contrast == MEAN_CHANGE else shape.n_comparisons),
        power=_power_of(study, known.measure_id),
    )
    # a pilot says how values spread; how many root prompts there are is said by the design
    n = known.n_root_prompts if known.source == OBSERVED else shape.n_root_prompts
    detectable = _detectable(shape, known, n, options)
    effect = _effect(study, spec, known)
    # of groups in wordings it is texts that are added, not wordings
    is_worded = study.has_wordings(shape.grouping_id.split(LEVEL_SEPARATOR))
    count = None if is_worded else _needed(effect, known.sd, options)
    pilot_needs = [] if known.sds is None else [_needed(effect, sd, options) for sd in known.sds]
    split = _split(study, shape, known, n, effect, options)
    if is_worded:
        split = split._replace(best=None, told=None)
    pilot = known.pilot
    return PowerRow(
        grouping_id=shape.grouping_id,
        measure_id=known.measure_id,
        contrast=known.contrast,
        source=known.source,
        n_root_prompts=n,
        baseline_rate_or_sd=_or_none(known.shown),
        prompt_by_group_share=None if known.spread is None or shape.is_nested else known.spread.prompt_by_group_share,
        minimum_detectable_effect=_or_none(detectable),
        effect=_or_none(effect),
        n_tests=options["n_tests"],
        n_needed=count,
        n_calls=_calls_of_texts(split.needed, shape) if is_worded else _calls(count, shape),
        best_n_responses=split.best,
        n_responses_needed=split.needed,
        n_responses=(None if pilot is None else pilot.n_responses) or _or_none(shape.n_responses_of_group),
        n_groups=shape.n_groups if pilot is None else pilot.n_groups,
        n_complete_root_prompts=_n_complete(shape, known),
        mean_square_of_cells=None if pilot is None else pilot.mean_square,
        variance_within=None if pilot is None else _or_none(pilot.within),
        variance_of_root_prompts=None if pilot is None else pilot.root_prompt,
        reason=refused or _reason(known.sd, detectable, effect, split),
        n_needed_low=pilot_needs[0] if pilot_needs else None,
        n_needed_high=pilot_needs[1] if pilot_needs else None,
        best=split.told,
        by_look=_by_look(study, known.sd, n, effect, options),
        labels=_labels(study, shape, known, spec, options),
    )


def _declared_power(study: Study, measure_id: str) -> Power | None:
    return {make_id(name): spec for name, spec in study.analysis.power.items()}.get(measure_id)


def _power_of(study: Study, measure_id: str) -> float:
    spec = _declared_power(study, measure_id)
    return spec.power if spec else verdict.POWER


def _labels(
    study: Study, shape: Shape, known: _Known, spec: Power | None, options: "_PowerOptions"
) -> PlannedLabels | None:
    """What labels of whole root prompts show by a declared spread, where the study has labels or asks."""
    is_told = known.source == DECLARED and known.contrast not in CHANGES and not shape.is_nested
    if spec is None or known.spread is None or np.isnan(known.sd) or not is_told:
        return None
    if not asks_labels(study, known.measure_id):
        return None
    return planned_labels(
        study,
        known.measure_id,
        spec,
        known.spread,
        shape.against,
        n=shape.n_root_prompts,
        alpha=options["alpha"],
        n_tests=options["n_tests"],
    )


def _by_look(study: Study, sd: float, n: int, effect: float, options: "_PowerOptions") -> tuple[float, ...]:
    """The chance to have called the effect by each look; none where it cannot be told."""
    if study.looks is None or np.isnan(effect) or not (sd > 0 and n > 0):
        return ()
    n_tests = options["n_tests"]
    return tuple(power_by_look(planned_shares(study), study.alpha, effect=effect, sd=sd, n=n, n_tests=n_tests))


def _detectable(shape: Shape, known: _Known, n: int, options: "_PowerOptions") -> float:
    """The smallest effect that is shown; where the spread of a rate depends on it, the one that shows itself."""
    unit_effect = float(expected_effects.minimum_detectable_effect(np.array(1.0), np.array(n), **options))
    spread, rate = known.spread, known.rate
    if spread is None or rate is None:
        return unit_effect * known.sd

    def sd_at(effect: float) -> float:
        return _sd(expected_effects.spread_of_rate(rate, effect, spread), shape, known.contrast)

    return expected_effects.minimum_detectable_rate(sd_at, unit_effect, rate)


class _Split(NamedTuple):
    """How root prompts and responses are best weighed; is_short: no number of responses makes up for root prompts.

    told: the same for a reader, with root prompts and calls.
    """

    best: int | None = None
    needed: int | None = None
    is_short: bool = False
    told: BestSplit | None = None


def _split(study: Study, shape: Shape, known: _Known, n: int, effect: float, options: "_PowerOptions") -> _Split:
    spread = known.spread
    if spread is None or np.isnan(known.sd) or not shape.n_responses_of_group:
        return _Split()
    # of units a change holds nothing that lasts
    lasting = 0.0 if shape.is_nested and known.contrast in CHANGES else spread.lasting
    scale = known.sd**2 / (lasting + spread.rest / spread.n_responses)
    m = expected_effects.best_n_responses(
        lasting, spread.rest, study.analysis.prompt_cost, step=max(round(shape.n_prompts_of_group), 1)
    )
    best = None if np.isnan(m) else int(m)
    if np.isnan(effect):
        return _Split(best)
    allowed = expected_effects.variance_allowed(n, effect, **options) / scale
    needed = expected_effects.responses_needed(lasting, spread.rest, allowed)
    split = _Split(best, None if np.isnan(needed) else int(needed), is_short=bool(np.isnan(needed)))
    if best is None or known.contrast in CHANGES:
        return split
    sd = float(np.sqrt(scale * (lasting + spread.rest / best)))
    n_best, n_floor = _needed(effect, sd, options), _needed(effect, float(np.sqrt(scale * lasting)), options)
    if n_best is None or n_best > verdict.N_NEEDED_CAP:
        return split
    planned, cost = shape.n_responses_of_group, study.analysis.prompt_cost
    n_same = int(n * (cost + planned) / (cost + best))
    at_best = known._replace(sd=sd, spread=spread._replace(n_responses=best))
    detects = _detectable(shape, at_best, n_same, options)
    best_split = BestSplit(
        n_root_prompts=n_best,
        n_responses=best,
        n_calls=int(np.ceil(n_best * shape.n_responses * best / planned)),
        n_responses_planned=planned,
        n_same_calls=n_same,
        detects=_or_none(detects),
        n_least=n_floor if split.is_short else None,
    )
    return split._replace(told=best_split)


def _n_complete(shape: Shape, known: _Known) -> int | None:
    """Root prompts that hold all groups; None where nothing was observed of groups side by side."""
    if known.source != OBSERVED or known.contrast in CHANGES or shape.is_nested:
        return None
    return known.pilot.n_root_prompts if known.pilot else 0


def _calls(n_root_prompts: int | None, shape: Shape) -> int | None:
    if n_root_prompts is None or n_root_prompts > verdict.N_NEEDED_CAP:
        return None
    return int(np.ceil(n_root_prompts * shape.n_responses))


def _calls_of_texts(n_responses: int | None, shape: Shape) -> int | None:
    """Calls that so many responses of a group in each wording take."""
    if n_responses is None:
        return None
    return int(np.ceil(n_responses * shape.n_responses / shape.n_responses_of_group * shape.n_root_prompts))


class _PowerOptions(TypedDict):
    alpha: float
    n_tests: int
    power: float


def _needed(effect: float, sd: float, options: _PowerOptions) -> int | None:
    count = float(verdict.n_needed(np.array(effect), np.array(sd), np.array(np.nan), **options))
    return None if np.isnan(count) else int(count)


def _effect(study: Study, spec: Power | None, known: _Known) -> float:
    """The effect that is declared, else the margin, else NaN."""
    is_difference = known.contrast not in (*CHANGES, INTERACTION)  # these have the margin of one
    difference = known.contrast if is_difference else contrasts_of(study).get(known.measure_id, "")
    measure_margins, common = study.margins.get(known.measure_id), study.margins.get(difference)
    margin = measure_margins.get(difference, common) if isinstance(measure_margins, dict) else common
    effect = spec.effect if spec else margin
    return float(effect) if isinstance(effect, int | float) else np.nan


def _reason(sd: float, detectable: float, effect: float, split: _Split) -> str | None:
    if np.isnan(sd):
        return _NO_SPREAD
    if np.isnan(detectable):
        return TOO_FEW
    if np.isnan(effect):
        return _NO_EFFECT
    return MORE_PROMPTS if split.is_short else None


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else value

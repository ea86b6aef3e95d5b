"""What the design of a study can show: detectable effects, root prompts needed, and what they cost.

Belongs here: where the spread comes from, the study file, a pilot or the responses, and the rows of
inference.design_power: of contrasts, and of changes between generations. The formulas are expected_effects.py.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple, TypedDict

import duckdb
import numpy as np
import pandas as pd

from python_assets.errors import WarehouseError
from python_assets.extract.measures import resolve_measures
from python_assets.infer.changes.pairs_of_generations import compared_pairs
from python_assets.infer.formulas import verdict
from python_assets.infer.result import InferenceReason
from python_assets.infer.tables import DISPARITY_CHANGE, MEAN_CHANGE
from python_assets.plan import expected_effects
from python_assets.plan.comparisons import shapes_of_changes
from python_assets.plan.group_models import fill_planned_cells
from python_assets.plan.schemes import planned_groupings
from python_assets.plan.shapes import Shape, shapes
from python_assets.plan.text import PowerRow
from python_assets.study.analysis import Power
from python_assets.study.base import ALL_PROMPTS, BASELINE
from python_assets.study.problems import listed
from python_assets.study.study import Study, grouping_id, make_id
from python_assets.warehouse import paths

CONTRASTS: Final = {"continuous": "mean_difference", "binary": "risk_difference", "categorical": "risk_difference"}
CHANGES: Final = (MEAN_CHANGE, DISPARITY_CHANGE)
NO_EFFECT: Final = "no_effect_declared"
NO_SPREAD: Final = "spread_unknown"
TOO_FEW: Final = "too_few_to_plan"
ROUNDING: Final = 1e-12  # an sd up to it is that of equal values


class _Known(NamedTuple):
    """A spread that is known of a contrast, and where from.

    sd: NaN where it is not known after all. shown: the rate or sd that stands in the row. slice_id: of the
    contrasts that it was observed in.
    """

    measure_id: str
    contrast: str
    source: str
    sd: float
    shown: float
    n_root_prompts: int
    slice_id: str = ALL_PROMPTS


def design_power_rows(
    study: Study, connection: duckdb.DuckDBPyConnection, observed: pd.DataFrame, comparisons: pd.DataFrame
) -> pd.DataFrame:
    """The rows of inference.design_power, after the responses.

    Args:
        study: the study.
        connection: its build file, with design tables, responses and the groups of prompts.
        observed: contrasts of inference with their keys, std_error, sd over root prompts and n_root_prompts.
        comparisons: of inference, with std_error and n_root_prompts.

    Returns:
        One row a grouping, measure, contrast or change, and source, without study_id. The sd observed is the
        root mean square over groups and generations, of the category with the largest.

    Raises:
        WarehouseError: the pilot is not published, or says nothing about this study.
    """
    responses = connection.execute(
        "select generation_id, prompt_id, count(*) as n from raw.responses where generation_id <> ? group by all",
        [BASELINE],
    ).df()
    fill_planned_cells(connection, responses)
    found = shapes(study, connection, planned_groupings(study, connection))
    changed = shapes_of_changes(connection, found, compared_pairs(connection, study.compared_with))
    rows = [*planned_power(study, found, changed)]
    for shape in found:
        known_of = _observed(observed, shape, set(CONTRASTS.values()))
        rows += [_power_row(study, shape, known) for known in known_of]
    of_changes = _changes_as_contrasts(comparisons)
    for shape in changed:
        rows += [_power_row(study, shape, known) for known in _observed(of_changes, shape, set(CHANGES))]
    columns = PowerRow._fields[: PowerRow._fields.index("reason") + 1]
    return pd.DataFrame([row[: len(columns)] for row in rows], columns=columns)


def planned_power(study: Study, found: list[Shape], changed: list[Shape]) -> Iterator[PowerRow]:
    """Yield what is known before the responses: from declared spreads, and from a pilot.

    Args:
        study: the study.
        found: the shapes of its groupings.
        changed: of shapes_of_changes.

    Raises:
        WarehouseError: the pilot is not published, or says nothing about this study.
    """
    pilot = _pilot(study, paths.home().published) if study.analysis.pilot else {}
    for of_changes, parts in ((False, found), (True, changed)):
        for shape in (shape for shape in parts if shape.n_groups >= 2):
            declared = _declared_changes(study, shape) if of_changes else _declared(study, shape)
            of_pilot = [
                known for known in pilot.get(shape.grouping_id, []) if (known.contrast in CHANGES) == of_changes
            ]
            for known in (*declared, *of_pilot):
                yield _power_row(study, shape, known)


def _declared(study: Study, shape: Shape) -> Iterator[_Known]:
    contrasts = _contrasts(study)
    for name, spec in study.analysis.power.items():
        measure_id = make_id(name)
        lacks = _lacks_correlation(spec, shape)
        of_difference = np.nan if lacks else expected_effects.sd_of_difference(_spread_of(spec, shape), shape.against)
        shown = of_difference if lacks or spec.rate is None else spec.rate
        yield _known(measure_id, contrasts[measure_id], shape, sd=of_difference, shown=shown)


def _declared_changes(study: Study, shape: Shape) -> Iterator[_Known]:
    for name, spec in study.analysis.power.items():
        for change in CHANGES:
            sd = expected_effects.sd_of_change(_spread_of(spec, shape), of_mean=change == MEAN_CHANGE)
            yield _known(make_id(name), change, shape, sd=sd, shown=sd)


def _spread_of(spec: Power, shape: Shape) -> expected_effects.Spread:
    sd = spec.sd if spec.rate is None else float(np.sqrt(spec.rate * (1 - spec.rate)))
    return expected_effects.Spread(
        sd=float(sd or 0),
        correlation=spec.correlation,
        n_groups=shape.n_groups,
        n_responses=shape.n_responses_of_group,
        is_nested=shape.is_nested,
    )


def _known(measure_id: str, contrast: str, shape: Shape, *, sd: float, shown: float) -> _Known:
    return _Known(
        measure_id=measure_id,
        contrast=contrast,
        source="declared",
        sd=sd,
        shown=shown,
        n_root_prompts=shape.n_root_prompts,
    )


def _contrasts(study: Study) -> dict[str, str]:
    """The contrast that power is of, by measure."""
    return {measure.measure_id: CONTRASTS[measure.kind] for measure in resolve_measures(study)}


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


def _pilot(study: Study, published: Path) -> dict[str, list[_Known]]:
    """Spreads observed by the pilot, by grouping."""
    pilot, contrasts = study.analysis.pilot, _contrasts(study)
    try:
        with duckdb.connect(str(published), read_only=True) as connection:
            rows = connection.execute(
                "select grouping_id, measure_id, contrast, baseline_rate_or_sd, n_root_prompts "
                "from design_power where study_id = ? and source = 'observed' "
                "and baseline_rate_or_sd is not null order by all",
                [pilot],
            ).fetchall()
    except (duckdb.IOException, duckdb.CatalogException):
        rows = []
    if not rows:
        got, expected = f"{published} without the study {pilot!r}", "a spread of it"
        raise WarehouseError((study.path, "analysis", "pilot"), got, expected, f"run it first: plumbline run {pilot}")
    keys = [grouping_id(grouping) for grouping in study.groupings]
    found: dict[str, list[_Known]] = {key: [] for key in keys}
    for key, measure_id, contrast, sd, n in rows:
        if key in found and contrast in (contrasts.get(measure_id), *CHANGES):
            spread = _spread(sd)
            found[key].append(
                _Known(
                    measure_id=measure_id, contrast=contrast, source="pilot", sd=spread, shown=spread, n_root_prompts=n
                )
            )
    if not any(found.values()):
        there = listed(dict.fromkeys(f"{measure_id} by {key}" for key, measure_id, *_ in rows))
        here = f"{listed(contrasts)} by {listed(keys)}"
        expected = f"a study with a measure and a grouping of this one: {here}"
        remedy = "name another pilot, or remove it"
        raise WarehouseError((study.path, "analysis", "pilot"), f"{pilot!r}, which has {there}", expected, remedy)
    return found


def _spread(sd: float) -> float:
    """An sd to plan with; NaN where all values were equal, which says nothing of how others would vary."""
    return sd if sd > ROUNDING else np.nan


def _changes_as_contrasts(comparisons: pd.DataFrame) -> pd.DataFrame:
    """Rows of comparisons under the names that those of contrasts have."""
    rows = comparisons[comparisons.comparison.isin(CHANGES)]
    n = rows.n_root_prompts.astype(float)
    return rows.assign(contrast=rows.comparison, generation_id=rows.generation_a_id, sd=rows.std_error * np.sqrt(n))


def _observed(observed: pd.DataFrame, shape: Shape, contrasts: set[str]) -> Iterator[_Known]:
    is_mean = observed.contrast == MEAN_CHANGE  # of all prompts, whatever they are grouped by
    if shape.is_nested:  # no group has a difference on one unit, so that its error stands for the spread
        n_units = float(shape.n_root_prompts)
        observed = observed.assign(
            sd=observed.sd.where(is_mean, observed.std_error * np.sqrt(n_units)),
            n_root_prompts=observed.n_root_prompts.where(is_mean, n_units),
        )
    rows = observed[
        ((observed.grouping_id == shape.grouping_id) | is_mean)
        & (observed.generation_id != BASELINE)
        & (observed.calibration == "raw")
        & observed.contrast.isin(contrasts)
    ]
    for (measure_id, contrast), of_column in rows.groupby(["measure_id", "contrast"], sort=True):
        slice_id = _widest_slice(of_column)
        of_slice = of_column[of_column.slice_id == slice_id]
        squares = (of_slice.sd**2).groupby(of_slice.category).mean()
        sd = _spread(float(np.sqrt(squares.max())))
        n = _n_root_prompts(of_slice.n_root_prompts)
        yield _Known(
            measure_id=str(measure_id),
            contrast=str(contrast),
            source="observed",
            sd=sd,
            shown=sd,
            n_root_prompts=n,
            slice_id=slice_id,
        )


def _widest_slice(rows: pd.DataFrame) -> str:
    """The slice of all prompts, or the one with most root prompts where a measure is not in it."""
    return str(rows.groupby("slice_id").n_root_prompts.agg(_n_root_prompts).sort_index().idxmax())


def _n_root_prompts(counts: "pd.Series[float]") -> int:
    """The median over rows that have any; 0 where none has."""
    some = counts[counts > 0]
    return int(some.median()) if len(some) else 0


def _power_row(study: Study, shape: Shape, known: _Known) -> PowerRow:
    # responses of a slice may be compared where those of all prompts are not
    refused = shape.reason if known.slice_id == ALL_PROMPTS or np.isnan(known.sd) else None
    if known.contrast == MEAN_CHANGE and refused is not InferenceReason.MIXED_UNITS:
        refused = None  # it holds no group against another
    if refused:
        known = known._replace(sd=np.nan, shown=np.nan)
    spec = {make_id(name): spec for name, spec in study.analysis.power.items()}.get(known.measure_id)
    options = _PowerOptions(
        alpha=study.alpha,
        n_tests=1 if known.contrast == MEAN_CHANGE else shape.n_tests,
        power=spec.power if spec else verdict.POWER,
    )
    # a pilot says how values spread; how many root prompts there are is said by the design
    n = known.n_root_prompts if known.source == "observed" else shape.n_root_prompts
    detectable = float(expected_effects.minimum_detectable_effect(np.array(known.sd), np.array(n), **options))
    effect = _effect(study, spec, known)
    count = _needed(effect, known.sd, options)
    of_pilot = [_needed(effect, sd, options) for sd in _pilot_range(known)]
    return PowerRow(
        grouping_id=shape.grouping_id,
        measure_id=known.measure_id,
        contrast=known.contrast,
        source=known.source,
        n_root_prompts=n,
        baseline_rate_or_sd=_or_none(known.shown),
        minimum_detectable_effect=_or_none(detectable),
        effect=_or_none(effect),
        n_needed=count,
        n_calls=None if count is None or count > verdict.N_NEEDED_CAP else int(np.ceil(count * shape.n_responses)),
        reason=refused or _reason(known.sd, detectable, effect),
        n_needed_low=of_pilot[0] if of_pilot else None,
        n_needed_high=of_pilot[1] if of_pilot else None,
    )


class _PowerOptions(TypedDict):
    alpha: float
    n_tests: int
    power: float


def _needed(effect: float, sd: float, options: _PowerOptions) -> int | None:
    count = float(verdict.n_needed(np.array(effect), np.array(sd), np.array(np.nan), **options))
    return None if np.isnan(count) else int(count)


def _pilot_range(known: _Known) -> tuple[float, ...]:
    if known.source != "pilot":
        return ()
    low, high = expected_effects.sd_range(np.array(known.sd), np.array(known.n_root_prompts))
    return float(low), float(high)


def _effect(study: Study, spec: Power | None, known: _Known) -> float:
    """The effect that is declared, else the margin, else NaN."""
    difference = _contrasts(study).get(known.measure_id, "") if known.contrast in CHANGES else known.contrast
    own, common = study.margins.get(known.measure_id), study.margins.get(difference)
    margin = own.get(difference, common) if isinstance(own, dict) else common
    effect = spec.effect if spec else margin
    return float(effect) if isinstance(effect, int | float) else np.nan


def _reason(sd: float, detectable: float, effect: float) -> str | None:
    if np.isnan(sd):
        return NO_SPREAD
    if np.isnan(detectable):
        return TOO_FEW
    return NO_EFFECT if np.isnan(effect) else None


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else value

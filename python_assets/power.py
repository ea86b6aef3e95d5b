"""What the design of a study can show: detectable effects, root prompts needed, and what they cost.

Belongs here: where the spread comes from, the study file, a pilot or the responses, and the rows of
inference.design_power. The formulas are infer/power.py.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple, TypedDict

import duckdb
import numpy as np
import pandas as pd

from python_assets import places
from python_assets.errors import WarehouseError
from python_assets.extract.measures import resolve_measures
from python_assets.infer import power
from python_assets.infer.reference import Against, Reference
from python_assets.study import Study, grouping_id, make_id
from python_assets.study_analysis import Power
from python_assets.study_base import BASELINE

CONTRASTS: Final = {
    "continuous": "mean_difference",
    "binary": "risk_difference",
    "categorical": "risk_difference",
}
NO_EFFECT: Final = "no_effect_declared"
NO_SPREAD: Final = "spread_unknown"
TOO_FEW: Final = "too_few_to_plan"


class Shape(NamedTuple):
    """The shape of a grouping, as far as power depends on it.

    n_root_prompts: those with two groups or more; where no root prompt (or declared unit) has two, is_nested,
    all of them. n_responses_of_group: of one group on one root prompt, in the generation with the fewest;
    n_responses: of all groups and generations on one root prompt.
    """

    grouping_id: str
    against: Against
    n_groups: int
    n_root_prompts: int
    n_responses_of_group: float
    n_responses: float
    is_nested: bool

    @property
    def n_tests(self) -> int:
        """Rows of the family that alpha is shared by."""
        return len(Reference(self.against, 0).rows(self.n_groups)[0])


class PowerRow(NamedTuple):
    """What the design can show of one contrast; sd: of the difference over root prompts.

    n_needed: capped as in infer/power.py. n_needed_low, n_needed_high: of a pilot, by the 10th and 90th
    percentile of the sd.
    """

    grouping_id: str
    measure_id: str
    contrast: str
    source: str
    n_root_prompts: int
    baseline_rate_or_sd: float | None
    minimum_detectable_effect: float | None
    effect: float | None
    n_needed: int | None
    n_calls: int | None
    reason: str | None
    n_needed_low: int | None = None
    n_needed_high: int | None = None


class _Known(NamedTuple):
    """A spread that is known of a contrast, and where from; shown: the rate or sd that stands in the row."""

    measure_id: str
    contrast: str
    source: str
    sd: float
    shown: float
    n_root_prompts: int


def design_power_rows(
    study: Study, connection: duckdb.DuckDBPyConnection, observed: pd.DataFrame
) -> pd.DataFrame:
    """The rows of inference.design_power, after the responses.

    Args:
        study: the study.
        connection: its build file, with prompts and responses.
        observed: contrasts of inference with their keys, std_error, sd over root prompts and n_root_prompts.

    Returns:
        One row a grouping, measure, contrast and source, without study_id. The sd observed is the root mean
        square over groups and generations, of the category with the largest.

    Raises:
        WarehouseError: the pilot is not published.
    """
    responses = connection.execute(
        "select generation_id, prompt_id, count(*) as n from raw.responses where generation_id <> ? "
        "group by all",
        [BASELINE],
    ).df()
    found = shapes(study, connection, responses)
    rows = [*planned_power(study, found)]
    for shape in found:
        rows += [_power_row(study, shape, known) for known in _observed(observed, shape)]
    columns = PowerRow._fields[: PowerRow._fields.index("reason") + 1]
    return pd.DataFrame([row[: len(columns)] for row in rows], columns=columns)


def planned_power(study: Study, found: list[Shape]) -> Iterator[PowerRow]:
    """Yield what is known before the responses: from declared spreads, and from a pilot.

    Args:
        study: the study.
        found: the shapes of its groupings.

    Raises:
        WarehouseError: the pilot is not published.
    """
    pilot = _pilot(study, places.home().published) if study.analysis.pilot else {}
    for shape in found:
        if shape.n_groups >= 2:
            for known in (*_declared(study, shape), *pilot.get(shape.grouping_id, [])):
                yield _power_row(study, shape, known)


def shapes(study: Study, connection: duckdb.DuckDBPyConnection, responses: pd.DataFrame) -> list[Shape]:
    """The shape of every grouping.

    Args:
        study: the study.
        connection: with raw.prompts and raw.prompt_factors.
        responses: generation_id, prompt_id and n, how many there are or will be.
    """
    connection.register("counted_responses", responses)
    try:
        return [_shape(study, connection, grouping) for grouping in study.groupings]
    finally:
        connection.unregister("counted_responses")


def _shape(study: Study, connection: duckdb.DuckDBPyConnection, grouping: tuple[str, ...]) -> Shape:
    row = connection.execute(
        """
        with grouped as (
            select p.prompt_id, p.unit_id, list(f.level order by f.factor) as levels
            from raw.prompts as p join raw.prompt_factors as f using (study_id, prompt_id)
            where p.study_id = $1 and list_contains($2, f.factor)
            group by all having count(*) = len($2)
        ),
        cells as (
            select generation_id, unit_id, levels, sum(n) as n
            from grouped join counted_responses using (prompt_id) group by all
        ),
        units as (select unit_id, count(distinct levels) as n_groups, sum(n) as n from cells group by all),
        generations as (select sum(n) / count(*) as n_of_group from cells group by generation_id),
        nested as (select coalesce(max(n_groups), 0) < 2 as is_nested from units)
        select (select count(distinct levels) from cells),
            (select count(*) from units where is_nested or n_groups >= 2),
            coalesce((select min(n_of_group) from generations), 0),
            coalesce((select avg(n) from units where is_nested or n_groups >= 2), 0), is_nested
        from nested
        """,
        [study.study_id, list(grouping)],
    ).fetchall()[0]
    key = grouping_id(grouping)
    return Shape(
        key, study.references[key][0], int(row[0]), int(row[1]), float(row[2]), float(row[3]), row[4]
    )


def _declared(study: Study, shape: Shape) -> Iterator[_Known]:
    kinds = {measure.measure_id: measure.kind for measure in resolve_measures(study)}
    for name, spec in study.analysis.power.items():
        measure_id = make_id(name)
        sd = spec.sd if spec.rate is None else float(np.sqrt(spec.rate * (1 - spec.rate)))
        spread = power.Spread(
            float(sd or 0), spec.correlation, shape.n_groups, shape.n_responses_of_group, shape.is_nested
        )
        of_difference = power.sd_of_difference(spread, shape.against)
        shown = of_difference if spec.rate is None else spec.rate
        contrast = CONTRASTS[kinds[measure_id]]
        yield _Known(measure_id, contrast, "declared", of_difference, shown, shape.n_root_prompts)


def _pilot(study: Study, published: Path) -> dict[str, list[_Known]]:
    """Spreads observed by the pilot, by grouping."""
    pilot = study.analysis.pilot
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
        raise WarehouseError(
            f"{study.path}: analysis.pilot: {published} holds no spread of the study {pilot!r}. "
            f"Run it first: plumbline run {pilot}"
        )
    found: dict[str, list[_Known]] = {}
    measures = {measure.measure_id for measure in resolve_measures(study)}
    for key, measure_id, contrast, sd, n in (row for row in rows if row[1] in measures):
        found.setdefault(key, []).append(_Known(measure_id, contrast, "pilot", sd, sd, n))
    return found


def _observed(observed: pd.DataFrame, shape: Shape) -> Iterator[_Known]:
    if shape.is_nested:  # no group has a difference on one unit, so that its error stands for the spread
        n_units = float(shape.n_root_prompts)
        observed = observed.assign(sd=observed.std_error * np.sqrt(n_units), n_root_prompts=n_units)
    rows = observed[
        (observed.grouping_id == shape.grouping_id)
        & (observed.generation_id != BASELINE)
        & (observed.calibration == "raw")
        & observed.contrast.isin(list(CONTRASTS.values()))
    ]
    for (measure_id, contrast), of_column in rows.groupby(["measure_id", "contrast"], sort=True):
        of_slice = of_column[of_column.slice_id == _widest_slice(of_column)]
        squares = (of_slice.sd**2).groupby(of_slice.category).mean()
        sd = float(np.sqrt(squares.max()))
        n = of_slice.n_root_prompts.median()
        yield _Known(str(measure_id), str(contrast), "observed", sd, sd, 0 if np.isnan(n) else int(n))


def _widest_slice(rows: pd.DataFrame) -> str:
    """The slice of all prompts, or the one with most root prompts where a measure is not in it."""
    return str(rows.groupby("slice_id").n_root_prompts.median().sort_index().fillna(0).idxmax())


def _power_row(study: Study, shape: Shape, known: _Known) -> PowerRow:
    spec = {make_id(name): spec for name, spec in study.analysis.power.items()}.get(known.measure_id)
    options = _Options(alpha=study.alpha, n_tests=shape.n_tests, power=spec.power if spec else power.POWER)
    # a pilot says how values spread; how many root prompts there are is said by the design
    n = known.n_root_prompts if known.source == "observed" else shape.n_root_prompts
    detectable = float(power.minimum_detectable_effect(np.array(known.sd), np.array(n), **options))
    effect = _effect(study, spec, known)
    count, *ends = (_needed(effect, sd, options) for sd in (known.sd, *_pilot_range(known)))
    return PowerRow(
        shape.grouping_id,
        known.measure_id,
        known.contrast,
        known.source,
        n,
        _or_none(known.shown),
        _or_none(detectable),
        _or_none(effect),
        count,
        None if count is None or count > power.N_NEEDED_CAP else int(np.ceil(count * shape.n_responses)),
        _reason(known.sd, detectable, effect),
        *ends,
    )


class _Options(TypedDict):
    alpha: float
    n_tests: int
    power: float


def _needed(effect: float, sd: float, options: _Options) -> int | None:
    count = float(power.n_needed(np.array(effect), np.array(sd), np.array(np.nan), **options))
    return None if np.isnan(count) else int(count)


def _pilot_range(known: _Known) -> tuple[float, ...]:
    if known.source != "pilot":
        return ()
    low, high = power.sd_range(np.array(known.sd), np.array(known.n_root_prompts))
    return float(low), float(high)


def _effect(study: Study, spec: Power | None, known: _Known) -> float:
    """The effect that is declared, else the margin, else NaN."""
    own, common = study.margins.get(known.measure_id), study.margins.get(known.contrast)
    margin = own.get(known.contrast, common) if isinstance(own, dict) else common
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

"""What a pilot, a study that was run before, says of the spread of this one.

Belongs here: reading it from what is published, and telling where it is of another design. What is made of it is
power.py.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import duckdb
import numpy as np

from python_assets.errors import FieldPath, WarehouseError
from python_assets.extract.measures import resolve_measures
from python_assets.infer.tables import DISPARITY_CHANGE, INTERACTION, INTERACTION_CHANGE, MEAN_CHANGE
from python_assets.plan.expected_effects import Pilot
from python_assets.plan.shapes import Shape
from python_assets.study.problems import listed
from python_assets.study.study import Study
from python_assets.warehouse.build import connect

PILOT_CONTRASTS: Final = {
    "continuous": "mean_difference",
    "binary": "risk_difference",
    "categorical": "risk_difference",
}
CHANGES: Final = (MEAN_CHANGE, DISPARITY_CHANGE, INTERACTION_CHANGE)
OBSERVED: Final = "observed"
Row = tuple[Any, ...]
_ROUNDING: Final = 1e-12  # an sd up to it is that of equal values
_PILOTED: Final = f"""
    select grouping_id, measure_id, contrast, baseline_rate_or_sd, n_root_prompts, mean_square_of_cells,
        variance_within, n_responses, variance_of_root_prompts, n_complete_root_prompts, n_groups
    from design_power
    where study_id = ? and source = '{OBSERVED}' and baseline_rate_or_sd is not null
    order by all
"""
_PILOTED_GROUPS: Final = """
    select distinct grouping_id, group_id from contrasts where study_id = ? and n_responses > 0 order by all
"""


class Piloted(NamedTuple):
    """A row of the pilot's design_power; pilot: None where it tells nothing of cells."""

    measure_id: str
    contrast: str
    sd: float
    n_root_prompts: int
    pilot: Pilot | None


def read_pilot(study: Study, published: Path, found: Sequence[Shape]) -> dict[str, list[Piloted]]:
    """Spreads observed by the pilot of a study.

    Args:
        study: that names it.
        published: the file of published studies.
        found: the shapes of its groupings.

    Returns:
        By grouping: rows of the measures and groupings that both have, and of their changes.

    Raises:
        WarehouseError: the pilot is not published, says nothing about this study, or is of another design.
    """
    where, name = (study.path, "analysis", "pilot"), study.analysis.pilot
    rows, groups = _published(published, where, name)
    contrasts, by_grouping = contrasts_of(study), {shape.grouping_id: shape for shape in found}
    shared: dict[str, list[Piloted]] = {key: [] for key in by_grouping}
    others: list[str] = []
    for key, measure_id, contrast, sd, n, *cells in rows:
        if key not in shared or measure_id not in contrasts:
            continue
        shape = by_grouping[key]
        others += _other_layout(shape, contrast, cells[4])
        planned_contrast = contrast_of(shape, contrasts[measure_id])
        if contrast in (planned_contrast, *changes_of(shape)):
            shared[key].append(Piloted(measure_id, contrast, spread_or_nan(sd), n, _pilot_of(cells)))
        elif contrast not in CHANGES:
            others.append(f"{_named(contrast)} of {measure_id} where this study has {_named(planned_contrast)}")
    for key in (key for key, piloted in shared.items() if piloted):
        others += _other_groups(by_grouping[key], [group for of, group in groups if of == key])
    if others:
        expected = "the kinds of measures, the groups and the layout that this study has"
        remedy = "name a pilot of this design, or remove it"
        raise WarehouseError(where, f"{name!r}, which has {'; '.join(dict.fromkeys(others))}", expected, remedy)
    if not any(shared.values()):
        there = [*dict.fromkeys(f"{measure_id} by {key}" for key, measure_id, *_ in rows)]
        here = f"{listed(contrasts)} by {listed(shared)}"
        expected = f"a study with a measure and a grouping of this one: {here}"
        remedy = "name another pilot, or remove it"
        raise WarehouseError(where, f"{name!r}, which has {listed(there)}", expected, remedy)
    return shared


def _published(published: Path, where: FieldPath, name: str | None) -> tuple[list[Row], list[Row]]:
    """Rows of the pilot, and its groups."""
    rows: list[Row] = []
    # the pilot may have been run by a version that did not write its cells: it is to be run again
    with (
        suppress(duckdb.IOException, duckdb.CatalogException, duckdb.BinderException),
        connect(published, read_only=True) as connection,
    ):
        rows = connection.execute(_PILOTED, [name]).fetchall()
        if rows:
            return rows, connection.execute(_PILOTED_GROUPS, [name]).fetchall()
    got, expected = f"{published} without the study {name!r}", "a spread of it"
    raise WarehouseError(where, got, expected, f"run it first: plumbline run {name}")


def _other_layout(shape: Shape, contrast: str, n_complete: int | None) -> list[str]:
    """What is said of a pilot whose groups do not meet where those of the study do, or the other way round."""
    if contrast in CHANGES or shape.is_nested == (n_complete is None):
        return []
    there = "side by side on the same prompts" if shape.is_nested else "each in units of its own, such as names"
    return [f"the groups of {shape.grouping_id} {there}"]


def _other_groups(shape: Shape, groups: Sequence[str]) -> list[str]:
    """What is said of a pilot with groups that the study does not have; it may ask some of the study's."""
    unknown = [group for group in groups if group not in shape.groups]
    return [f"groups of {shape.grouping_id} that are none here: {listed(unknown)}"] if unknown else []


def _pilot_of(cells: Sequence[float | None]) -> Pilot | None:
    """What stands in a row of design_power of its cells."""
    mean_square, within, n_responses, root_prompt, n_complete, n_groups = cells
    if mean_square is None or n_responses is None or root_prompt is None or not n_complete or not n_groups:
        return None
    known = np.nan if within is None else within
    pilot = Pilot(mean_square, known, n_responses, root_prompt, int(n_complete), int(n_groups))
    return pilot if pilot.df > 0 and pilot.mean_square > _ROUNDING**2 else None


def spread_or_nan(sd: float) -> float:
    """An sd to plan with; NaN where all values were equal, which says nothing of how others would vary."""
    return sd if sd > _ROUNDING else np.nan


def contrast_of(shape: Shape, difference: str) -> str:
    """The contrast that the question of a grouping is of, whose difference from the others is named."""
    return difference if shape.beyond is None else INTERACTION


def changes_of(shape: Shape) -> tuple[str, str]:
    """The changes that questions of a pair of generations are of."""
    return MEAN_CHANGE, DISPARITY_CHANGE if shape.beyond is None else INTERACTION_CHANGE


def _named(contrast: str) -> str:
    return "a difference of its cells beyond their parts" if contrast == INTERACTION else f"a {contrast}"


def contrasts_of(study: Study) -> dict[str, str]:
    """The difference of groups that power is of, by measure."""
    return {measure.measure_id: PILOT_CONTRASTS[measure.kind] for measure in resolve_measures(study)}

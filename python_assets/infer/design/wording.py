"""How the wording of groups was controlled in every hypothesis, once p and q are known.

Belongs here: columns of hypotheses. What negative controls do to p is contrasts/controlled.py.

Source: inference.md 14.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.design.control_cells import declares_controls
from python_assets.infer.design.repeated_controls import first_slices
from python_assets.infer.draws.exchange import comparable_sizes
from python_assets.infer.result import InferenceReason, first_of
from python_assets.infer.tables import (
    CONTROL_FIELDS,
    DIFFERENCES,
    DISPARITY_CHANGE,
    GROUPS_CHANGED,
    HYPOTHESIS,
    PAIR_SIDES,
)
from python_assets.study.base import BASELINE, LEVEL_SEPARATOR, NEGATIVE_CONTROL
from python_assets.study.study import Study

_NESTED: Final = """
    select slice_id, grouping_id
    from (
        select slice_id, grouping_id, count(distinct unit_id) as n_units
        from intermediate.int_prompt_groups
        where scheme in ('nested', 'partly_nested')
        group by slice_id, grouping_id, group_id
    )
    group by all
    having min(n_units) > 1
"""
_UNITS: Final = """
    select slice_id, grouping_id, unit_factor
    from intermediate.int_prompt_groups
    where scheme = 'blocked' and unit_factor is not null
    group by all
    having count(distinct unit_id) > 1
"""
MODEL_SETTINGS: Final = "select distinct slice_id, grouping_id from intermediate.int_settings"
_PLACE: Final = ["slice_id", "grouping_id"]
_SAME: Final = [*(name for name in HYPOTHESIS if name != "grouping_id"), PAIR_SIDES[1]]


class WordingControl(StrEnum):
    """How wording was controlled: by several units a group, by edits that cannot matter, or not at all."""

    UNITS = "units"
    NEGATIVE_CONTROLS = "negative_controls"
    ONE_WORDING = "one_wording"


def with_wording(
    tables: Mapping[str, pd.DataFrame], connection: duckdb.DuckDBPyConnection, study: Study
) -> pd.DataFrame:
    """Hypotheses that say how wording was controlled, and what the controls themselves were found to do.

    Args:
        tables: hypotheses as published, with reference_system_id and, where controls say anything, CONTROL_FIELDS; if
            they are there, contrasts and system_comparisons with value.
        connection: to the build file.
        study: the study, which may have units that are wordings.

    Returns:
        Hypotheses with wording, p_wording, loudest_control, loudest_control_value and negative_controls_reason.
    """
    hypotheses = tables["hypotheses"]
    hypotheses = hypotheses.assign(**dict.fromkeys([name for name in CONTROL_FIELDS if name not in hypotheses], np.nan))
    places = pd.MultiIndex.from_frame(hypotheses[_PLACE])
    is_control = (hypotheses.grouping_id == NEGATIVE_CONTROL).to_numpy()
    is_of_prompts = ~places.isin(connection.execute(MODEL_SETTINGS).fetchall()) & ~is_control
    is_of_prompts &= ((hypotheses.grouping_id != "") & (hypotheses.system_id != BASELINE)).to_numpy()
    has_controls = hypotheses.p_negative_controls.notna().to_numpy()
    kinds = {
        WordingControl.UNITS: places.isin([*connection.execute(_NESTED).fetchall(), *_worded(connection, study)]),
        WordingControl.NEGATIVE_CONTROLS: has_controls,
        WordingControl.ONE_WORDING: np.ones(len(hypotheses), dtype=bool),
    }
    wording = first_of([is_of_prompts & kind for kind in kinds.values()], [str(kind) for kind in kinds])
    hypotheses = hypotheses.assign(
        wording=wording, p_wording=np.nan, loudest_control=None, loudest_control_value=np.nan
    )
    if "contrasts" not in tables or not declares_controls(connection):
        return hypotheses.assign(negative_controls_reason=None)
    control_p = hypotheses[is_control].set_index(_SAME).p_value
    loudest = _loudest(tables)
    # controls that several slices share are tested in the first of them
    tested = hypotheses.assign(slice_id=first_slices(connection, hypotheses))
    keys = pd.MultiIndex.from_frame(tested[_SAME])
    loudest, is_about = loudest.reindex(keys), is_of_prompts
    untested = hypotheses.inference_reason.where(
        hypotheses.p_value.isna(), str(InferenceReason.CONTROLS_NOT_SUPPORTED)
    ).fillna(str(InferenceReason.NO_VALUES))
    return hypotheses.assign(
        p_wording=np.where(is_about, control_p.reindex(keys), np.nan),
        loudest_control=first_of([is_about & loudest.group_id.notna().to_numpy()], [loudest.group_id.to_numpy(object)]),
        loudest_control_value=np.where(is_about, loudest.value, np.nan),
        negative_controls_reason=first_of(
            [
                has_controls | is_control,
                hypotheses.negative_controls_reason.notna().to_numpy(),
                np.ones(len(hypotheses), dtype=bool),
            ],
            [None, hypotheses.negative_controls_reason, untested],
        ),
    )


def _worded(connection: duckdb.DuckDBPyConnection, study: Study) -> Iterator[tuple[str, str]]:
    """Slices and groupings whose units are the wordings of their groups."""
    for slice_id, grouping_id, unit_factor in connection.execute(_UNITS).fetchall():
        is_worded = study.has_wordings(grouping_id.split(LEVEL_SEPARATOR))
        if is_worded and unit_factor in study.prompts.wordings:
            yield slice_id, grouping_id


def _loudest(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The control that lies farthest from the others, with its contrast; equal to 12 digits: the first by name.

    None where all values are 0.
    """
    contrasts, changes = tables["contrasts"], tables["system_comparisons"]
    group_contrasts = contrasts[contrasts.contrast.isin(DIFFERENCES)].assign(**{PAIR_SIDES[1]: ""})
    moved = changes[changes.comparison == DISPARITY_CHANGE].assign(statistic=GROUPS_CHANGED, parameters="")
    columns = ["grouping_id", "category", *_SAME, "group_id", "value"]
    rows = pd.concat([group_contrasts[columns], moved[columns]], ignore_index=True)
    rows = rows[(rows.grouping_id == NEGATIVE_CONTROL) & (rows.category == "") & rows.value.notna()]
    ordered = rows.assign(size=-comparable_sizes(rows.value.to_numpy(dtype=float))).sort_values(
        ["size", "group_id"], kind="stable"
    )
    ordered = ordered[ordered["size"] < 0]  # of equal ones none is the loudest
    return ordered.drop_duplicates(_SAME).set_index(_SAME)[["group_id", "value"]]

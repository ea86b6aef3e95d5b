"""What the comparison of two runs found: each group's change, its margin, and whether it is beyond it.

Belongs here: reading mart system_comparisons. No number is computed here: changes, intervals, q and verdicts are
inference's (inference.md 8), margins those that the study declares.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from python_assets.errors import NOTHING, StudyError
from python_assets.gate.both_runs import NOW, THEN
from python_assets.infer.formulas.verdict import Verdict
from python_assets.infer.options import margin_of_change
from python_assets.infer.result import NOBODY_STANDS
from python_assets.published.account import ABOUT_GROUPS, PAIR_OUTCOMES
from python_assets.published.beyond_margin import beyond_margin
from python_assets.published.query import open_published
from python_assets.report.readings import read_by
from python_assets.study.measures import IN_EVERY_STUDY
from python_assets.study.metrics import Margins
from python_assets.study.study import Study, make_id
from python_assets.warehouse.build import rows_of

# what is told of a group is its change against the others that stay, on the same prompts, or against all others where
# two camps moved apart, of a cell of a crossing the change that its parts do not make; where no value differs from
# another there is nothing to test, and nothing moved; of raw and corrected values those are read that the study asks,
# for a group that only an instrument reads otherwise did not move
_CHANGES: Final = f"""
    with changes as (
        select *
        from system_comparisons
        inner join measures using (study_id, measure_id)
        where study_id = $study and {ABOUT_GROUPS}
    ),
    means as (
        select system_id, slice_id, measure_id, calibration, grouping_id, group_id, category,
            value_b as mean_then, value_a as mean_now
        from changes
        where comparison = 'group_change'
    )
    select changes.system_id, slice_id, measure_id, kind, direction, calibration, grouping_id, group_id,
        category, mean_then, mean_now, coalesce(value_alone, value) as value,
        case when value_alone is null then ci_low else ci_low_alone end as ci_low,
        case when value_alone is null then ci_high else ci_high_alone end as ci_high,
        coalesce(list_contains($nobody_stands, reason_alone), false) as is_apart, explained_by, verdict, n_dropped,
        coalesce(
            reason, case when q_value is null and inference_reason <> 'no_variation' then inference_reason end
        ) as reason
    from changes
    left join means
        using (system_id, slice_id, measure_id, calibration, grouping_id, group_id, category)
    where comparison in ('disparity_change', 'interaction_change', 'groups_changed')
        and (comparison <> 'groups_changed' or reason is not null)
        and inference_reason is distinct from 'told_by_parts'
    qualify family_id <> 'secondary' or not bool_or(family_id <> 'secondary') over (
        partition by changes.system_id, slice_id, measure_id, grouping_id, calibration = 'calibrated'
    )
    order by system_id, measure_id, calibration, grouping_id, slice_id, category, group_id
"""
_ANSWERED: Final = """
    select system_id
    from systems
    where study_id = $study and not is_baseline and not is_engine
    order by system_id
"""
_FAMILIES: Final = "select * from v_scorers where study_id = $study order by measure_id, model_family"


class GateOutcome(StrEnum):
    """What is said of the change of a group; the words of run_changes.outcome."""

    BEYOND_MARGIN = "beyond_margin"
    APART_BEYOND_MARGIN = "apart_beyond_margin"
    MOVED = "moved"
    APART = "apart"
    WITHIN_MARGIN = "within_margin"
    EXPLAINED_BY = "explained_by"
    INCONCLUSIVE = "inconclusive"
    UNCHANGED = "unchanged"
    NOT_COMPARED = "not_compared"


_OUTCOMES: Final = {
    Verdict.BEYOND_MARGIN: GateOutcome.BEYOND_MARGIN,
    Verdict.EQUIVALENT: GateOutcome.WITHIN_MARGIN,
    Verdict.DIFFERENT: GateOutcome.MOVED,
    Verdict.INCONCLUSIVE: GateOutcome.INCONCLUSIVE,
    Verdict.NOT_TESTED: GateOutcome.UNCHANGED,
}
_OF_CAMPS: Final = {GateOutcome.BEYOND_MARGIN: GateOutcome.APART_BEYOND_MARGIN, GateOutcome.MOVED: GateOutcome.APART}
_KEPT: Final = [
    *("slice_id", "system_id", "grouping_id", "measure_id", "calibration", "group_id", "category"),
    *("mean_then", "mean_now", "value", "ci_low", "ci_high", "margin", "verdict", "outcome", "explained_by"),
    *("n_dropped", "reason"),
]


class Gate(NamedTuple):
    """What is known of the groups of two runs.

    changes: one row a generation, measure, grouping, slice, label and group, with margin, verdict and outcome; those
    that were not compared have a reason. is_apart: of groups that cannot be told from the others by who stayed:
    two camps moved apart. alone: generations of one run alone. read_by: of each measure with
    labels, what read it and how rightly. hypotheses: how many were asked of both runs, and what they came to.
    read_alike: what is said of two versions of the reader of refusals. beyond: hypotheses beyond their margin that
    nothing is gated by, of the run now and of changes outside the families that are read.
    """

    changes: pd.DataFrame
    alone: list[str]
    alpha: float
    read_by: Mapping[str, str] = MappingProxyType({})
    hypotheses: Mapping[str, int] = MappingProxyType({})
    read_alike: Sequence[str] = ()
    beyond: Sequence[Mapping[str, Any]] = ()

    @property
    def moved(self) -> pd.DataFrame:
        """The groups whose change is beyond its margin, those of two camps among them."""
        return self.changes[self.changes.verdict == Verdict.BEYOND_MARGIN]

    @property
    def compared(self) -> pd.DataFrame:
        """The groups that were compared and have a margin."""
        return self.changes[self.changes.reason.isna() & self.changes.margin.notna()]

    def rows(self, compared_at: datetime) -> pd.DataFrame:
        """The changes as rows of run_changes, less the study and the two runs.

        Args:
            compared_at: UTC.
        """
        return self.changes[_KEPT].rename(columns={"value": "change"}).assign(compared_at=compared_at)


def require_margins(study: Study) -> None:
    """See that a group of some measure can be beyond a margin at all.

    Args:
        study: the comparison of both runs.

    Raises:
        StudyError: the study declares no margin for any measure.
    """
    kinds = {make_id(measure.name): measure.kind or "" for measure in study.measures}
    kinds |= dict.fromkeys(IN_EVERY_STUDY, "binary")
    if not any(_has_margin(study.margins, key, kind) for key, kind in kinds.items()):
        raise StudyError(
            ("analysis", "margins"),
            NOTHING,
            "a margin of a difference: how large a change must be to matter",
            "add for example margins: {risk_difference: 0.05} to the analysis, or "
            f"margins: {{{next(iter(kinds))}: {{mean_difference: 0.1}}}}, and run the study again",
        )


def _has_margin(margins: Margins, measure_id: str, kind: str) -> bool:
    return not np.isnan(margin_of_change(margins, measure_id, "none", kind))


def read_gate(published: Path, study: Study) -> Gate:
    """What the comparison of two runs found.

    Args:
        published: the database that it was published in.
        study: the comparison.
    """
    parameters = {"study": study.study_id}
    with open_published(published) as connection:
        changed_rows = connection.execute(_CHANGES, parameters | {"nobody_stands": [*NOBODY_STANDS]}).df()
        systems = [name for (name,) in connection.execute(_ANSWERED, parameters).fetchall()]
        families = rows_of(connection, _FAMILIES, parameters)
        (hypotheses,) = rows_of(connection, PAIR_OUTCOMES, parameters)
        beyond = beyond_margin(connection, study.study_id)
    in_both = _names(systems, THEN) & _names(systems, NOW)
    pairs = {f"{name}_{wave}" for name in in_both for wave in (THEN, NOW)}
    changes = changed_rows.assign(
        system_id=changed_rows.system_id.str.removesuffix(f"_{NOW}"),
        margin=[
            margin_of_change(study.margins, measure, direction, kind)
            for measure, direction, kind in zip(
                changed_rows.measure_id, changed_rows.direction, changed_rows.kind, strict=True
            )
        ],
    )
    return Gate(
        changes.assign(outcome=[_outcome(row) for row in changes.itertuples()]),
        [name for name in systems if name not in pairs],
        study.alpha,
        {measure: read_by(list(rows)) for measure, rows in groupby(families, key=itemgetter("measure_id"))},
        hypotheses,
        beyond=[row for row in beyond if _is_not_gated(row, {*map(_partition, changes.to_dict("records"))})],
    )


def _is_not_gated(row: Mapping[str, Any], gated: Collection[tuple[Any, ...]]) -> bool:
    """Whether a hypothesis beyond its margin is of the groups of the run now, or of a change that is not read.

    Args:
        row: of beyond_margin.
        gated: keys of the changes that are read; secondary ones are where the study has no others.
    """
    if row["reference_system_id"]:
        return row["family_id"] == "secondary" and _partition(row) not in gated
    return str(row["system_id"]).endswith(f"_{NOW}")


def _partition(row: Any) -> tuple[Any, ...]:
    system_id = str(row["system_id"]).removesuffix(f"_{NOW}")
    return system_id, *(row[name] for name in ("slice_id", "measure_id", "grouping_id", "calibration"))


def _outcome(row: Any) -> GateOutcome:
    if pd.notna(row.reason):
        return GateOutcome.NOT_COMPARED
    if pd.notna(row.explained_by) and row.verdict == Verdict.INCONCLUSIVE:
        return GateOutcome.EXPLAINED_BY
    outcome = _OUTCOMES[row.verdict]
    return _OF_CAMPS.get(outcome, outcome) if row.is_apart else outcome


def _names(systems: list[str], wave: str) -> set[str]:
    return {name.removesuffix(f"_{wave}") for name in systems if name.endswith(f"_{wave}")}

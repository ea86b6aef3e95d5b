"""What a study asks of inference: seed, B, alpha, margins, and what groups are compared with.

Belongs here: values alone. What the rows of a reference compare is schemes.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.study.base import Against
from python_assets.study.metrics import default_margins
from python_assets.study.study import Study

MOST_PERMUTATIONS: Final = 99_999  # that questions at the floor are drawn on to

DECLARED_MARGIN: Final = "declared"  # whose a margin is
DEFAULT_MARGIN: Final = "default"
Margins = Mapping[str, float | Mapping[str, float]]
FIRST_DRAWS = 999  # of a question, unless its p then lies so low that more are drawn (inference.md 6.5)
# system_id and measure_id of what finds a label in too few answers
Unscored = frozenset[tuple[str, str]]


class Reference(NamedTuple):
    """What the groups of one grouping are compared with.

    level: position of the reference group, for Against.LEVEL alone.
    """

    against: Against = Against.REST
    level: int | None = None

    @property
    def is_pairwise(self) -> bool:
        """Whether each row compares two groups, on the blocks that hold both."""
        return self.against in (Against.LEVEL, Against.ALL_PAIRS)

    def rows(self, n_groups: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Position of the group of each row and of what it is compared with, -1 where that is no group.

        A reference level has no row of its own; all pairs are the ordered ones, by group and then by other.
        """
        groups = np.arange(n_groups)
        if self.against is Against.LEVEL:
            groups = groups[groups != self.level]
            return groups, np.full(len(groups), self.level, dtype=np.intp)
        if self.against is Against.ALL_PAIRS:
            group, other = np.nonzero(~np.eye(n_groups, dtype=bool))
            return group, other
        return groups, np.full(n_groups, -1, dtype=np.intp)

    def names(self, group_ids: list[str]) -> list[tuple[str, str]]:
        """Group and reference of each row, in words."""
        group, other = self.rows(len(group_ids))
        return [
            (group_ids[g], group_ids[o] if o >= 0 else str(self.against)) for g, o in zip(group, other, strict=True)
        ]


class Options(NamedTuple):
    """What is asked for.

    seed: of the study. n_permutations: B. n_bootstrap: resamples of root prompts. alpha: error rate, at a look its
    level. margins:
    by name, or by measure and name. references: by grouping, with the group it is. contrasts: beyond those of
    every measure. n_nonlinear: B of statistics that are no means, each of whose draws is worth twenty. fills_scale:
    whether a missing answer can have been anything on the declared scale of its measure. n_first: draws of all
    questions, after which those with a small p go on to B; alpha_of_draws: the alpha that says what is small, that of
    the study at every look.
    """

    seed: int
    n_permutations: int
    n_bootstrap: int
    alpha: float
    margins: Margins
    references: Mapping[str, tuple[Against, str | None]]
    contrasts: tuple[str, ...]
    n_nonlinear: int = 1_999
    fills_scale: bool = False
    n_first: int = FIRST_DRAWS
    alpha_of_draws: float | None = None

    @property
    def n_draws_nonlinear(self) -> int:
        """B of statistics that are no means, where fewer are asked for."""
        return min(self.n_permutations, self.n_nonlinear)

    def at_once(self, n: int) -> "Options":
        """The same with n draws of everything, in one stage."""
        return self._replace(n_permutations=n, n_nonlinear=n, n_first=n)

    def reference(self, grouping_id: str, group_ids: Sequence[str]) -> Reference | None:
        """What groups are compared with; None where the study names a group that has no prompt here."""
        against, group_id = self.references.get(grouping_id, (Against.REST, None))
        if group_id is None:
            return Reference(against)
        return Reference(against, group_ids.index(group_id)) if group_id in group_ids else None


def options_of(study: Study, level: float | None = None) -> Options:
    """What a study asks for; level: of the look that is taken, alpha where None."""
    return Options(
        seed=study.seed,
        n_permutations=study.n_permutations,
        n_bootstrap=study.n_bootstrap,
        alpha=study.alpha if level is None else level,
        margins=study.margins,
        references=study.references,
        contrasts=tuple(study.requested_contrasts),
        fills_scale=study.fills_scale,
        alpha_of_draws=study.alpha,
    )


def margin_of(margins: Margins, measure_id: str, direction: str, name: str) -> float:
    """The declared margin: of the measure, else of the name alone, else NaN.

    Of the impact ratio the name alone holds only where the measure has a direction: to be selected by a
    number without a good end is no favourable outcome.
    """
    measure_margins = margins.get(measure_id)
    if isinstance(measure_margins, Mapping) and name in measure_margins:
        return float(measure_margins[name])
    common = None if name == "impact_ratio" and direction == "none" else margins.get(name)
    return np.nan if common is None or isinstance(common, Mapping) else float(common)


def margin_origins(rows: pd.DataFrame, effect: str, declared: Margins) -> NDArray[np.object_]:
    """Whose the margin of every row is: declared by the study or a default (metrics.md 6.6); None without one.

    Args:
        rows: with measure_id, effect and margin.
        effect: the column that names a contrast, metric or comparison.
        declared: of the study, without defaults.
    """
    by_measure = [(key, name) for key, names in declared.items() if isinstance(names, Mapping) for name in names]
    is_of_measure = pd.MultiIndex.from_frame(rows[["measure_id", effect]]).isin(by_measure) if by_measure else False
    # a margin of another name can only come from the study: of a change it is that of the difference
    is_default = rows[effect].isin([*default_margins()]) & ~(rows[effect].isin([*declared]) | is_of_measure)
    origin = pd.Series(np.where(is_default, DEFAULT_MARGIN, DECLARED_MARGIN), index=rows.index, dtype=object)
    return origin.where(rows.margin.notna(), None).to_numpy()


def margin_of_change(margins: Margins, measure_id: str, direction: str, kind: str) -> float:
    """The declared margin of how far a group moved against the others: that of the difference itself.

    Args:
        margins: of the study.
        measure_id: the measure.
        direction: of the measure.
        kind: of the measure.
    """
    return margin_of(margins, measure_id, direction, "mean_difference" if kind == "continuous" else "risk_difference")

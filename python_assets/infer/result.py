"""What a test says of its rows: value, error, interval, p, and why any of these is missing.

Belongs here: the one record of results, the one way to refuse rows, and the closed list of reasons with what each one
means. What the numbers are is told where they are computed; reasons of NULL values are dbt's.
"""

from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from python_assets.infer.draws.exchange import Floats, Ints

Bools = NDArray[np.bool_]
Objects = NDArray[np.object_]


class InferenceReason(StrEnum):
    """One word of the column inference_reason, with its meaning."""

    meaning: str

    def __new__(cls, word: str, meaning: str) -> "InferenceReason":
        """Make a member that equals its word and carries its meaning."""
        member = str.__new__(cls, word)
        member._value_ = word
        member.meaning = meaning
        return member

    SCHEME_NOT_AVAILABLE = (
        "scheme_not_available",
        "for a statistic that is no mean, only groups that meet on the same prompts can be shuffled yet",
    )
    ONE_GROUP = ("one_group", "fewer than two groups have a value, so nothing can be compared")
    NO_VALUES = ("no_values", "the group has no value of this measure")
    NO_SHARED_BLOCK = ("no_shared_block", "no prompt of the group has a value of another group beside it")
    TOO_FEW_ROOT_PROMPTS = (
        "too_few_root_prompts",
        "fewer than 3 root prompts, and nothing to take their place; what a crossing adds to its parts needs 5, a "
        "changed log disparity, and which of the groups moved, 6, a bootstrap interval 10",
    )
    TOO_FEW_REPLICATES = (
        "too_few_replicates",
        "fewer than 3 root prompts, and cells with a single response where replicates would take their place",
    )
    P_FLOOR = (
        "p_floor",
        "too few arrangements for a permutation p to reach alpha within the groups: p is of a t distribution",
    )
    FEW_BESIDE_OTHERS = (
        "few_beside_others",
        "the group stands in fewer than 5 root prompts, others in more: it takes no part in the question",
    )
    NO_VARIATION = (
        "no_variation",
        "all values are equal to nine digits, so nothing can be told from them but that there is no variation",
    )
    NO_ERROR = (
        "no_error",
        "the difference is the same on each of few root prompts: there is no error to hold it against",
    )
    NOT_CONNECTED = ("not_connected", "no chain of shared prompts connects all groups, so they have no common scale")
    UNBOUNDED = ("unbounded", "a rate is 0 or 1: the value is NULL and one side of the interval is infinite")
    INTERVAL_NOT_VALIDATED = (
        "interval_not_validated",
        "no interval of this number is known to cover what it promises, so none is printed",
    )
    TOO_FEW_FOR_INTERVAL = (
        "too_few_for_interval",
        "fewer than 5 root prompts or 20 arrangements: the index has a p and a noise floor, but no interval",
    )
    SEVERAL_PROMPTS = (
        "several_prompts",
        "several prompts stand in one cell, and the study declares no unit; unit: root_prompt averages them, "
        "and unit: FACTOR names what they are draws of, as in unit: name",
    )
    MIXED_UNITS = (
        "mixed_units",
        "some prompts of the slice have units, such as names, that others lack: no error holds for all of "
        "them; slices that each have one kind of unit are tested",
    )
    PARTLY_NESTED = (
        "partly_nested",
        "units keep the level of one factor of the grouping and vary in another, so no single shuffle tests "
        "both; groupings by either part are tested",
    )
    INCOMPLETE_PROMPTS = (
        "incomplete_prompts",
        "no root prompt, or too few for the levels there are, holds every combination of the levels that "
        "vary inside root prompts: the effects of the factors cannot be told apart",
    )
    NO_EXCHANGE = (
        "no_exchange",
        "both factors part root prompts: no exchange of prompts takes away what the factors do together and "
        "leaves what each does alone",
    )
    POOLED_SYSTEMS = (
        "pooled_systems",
        "the answers of all generations to the same prompts are pooled: the rows of each generation are tested",
    )
    TOO_FEW_UNITS = (
        "too_few_units",
        "fewer than 4 units in a group: its labels cannot be shuffled; the interval of a mean of units that share "
        "prompts needs 5",
    )
    IRREGULAR_UNITS = (
        "irregular_units",
        "some units of the group lack prompts that others answered, and fewer than 5 units answered all prompts, or "
        "fewer than 5 prompts were answered by all units: no error of their mean is known",
    )
    TOO_FEW_EXPECTED = (
        "too_few_expected",
        "fewer than 1 unit of some group is expected, even with all categories of the ground truth together",
    )
    TOO_MANY_UNSCORED = (
        "too_many_unscored",
        "the measure finds a label in too few answers of the generation: more than max_unscored_share have none",
    )
    SCORER_DIFFERS = (
        "scorer_differs",
        "the groups were read by different instruments, such as people's labels of one group alone, or clusters that "
        "each group has of its own: a difference may be that",
    )
    NO_SELECTIONS = ("no_selections", "no group has a selected response, so the impact ratio is 0 / 0")
    DIXON_UNDEFINED = ("dixon_undefined", "Dixon's Q is of 3 to 30 groups, and of groups that are not all equal")
    NO_SPREAD = ("no_spread", "all group values are equal, so they have no standard deviation to divide by")
    RATIO_UNDEFINED = ("ratio_undefined", "the group values differ in sign or the largest is 0")
    UNDEFINED_STATISTIC = (
        "undefined_statistic",
        "the statistic is undefined in a group or in a resample of its root prompts: too few values, or all equal",
    )
    SCALE_FREE = ("scale_free", "without differences the index has no population value, so it has no interval")
    UNPAIRED_PROMPTS = (
        "unpaired_prompts",
        "more than 5 % of the root prompts were answered by one of the two generations alone, and units of one group "
        "each and rates of subgroups have no bounds for the others",
    )
    IDENTICAL_RESPONSES = (
        "identical_responses",
        "both generations gave the same answers everywhere, so nothing changed",
    )
    APPROXIMATE = (
        "approximate",
        "p and interval are approximate: rates rest on fewer than 10 root prompts, a dispersion on fewer than 8 "
        "groups, changes are strongly skewed, or nearly all values are the same and few root prompts differ from it",
    )
    NO_MAJORITY_STAYS = (
        "no_majority_stays",
        "half of the groups or more moved against the others, or there are two: nobody is left to tell from whom",
    )
    SCORER_CHANGED = (
        "scorer_changed",
        "the two generations were measured by different versions of its extractor, so a change may be that",
    )
    NO_SHARED_ROOT_PROMPT = ("no_shared_root_prompt", "no root prompt was answered by both generations")
    CHANGE_OF_EXTREMES_NOT_VALIDATED = (
        "change_of_extremes_not_validated",
        "the noisier of two equal models has the larger index, so indices are not subtracted; hold both "
        "intervals side by side",
    )
    NO_REFERENCE = ("no_reference", "the reference level of a factor has no value")
    ALIASED = (
        "aliased",
        "the column of the level is a sum of other columns of the regression, so it has no coefficient; or the cell of "
        "a crossing is a group of one of its parts, so it adds nothing to them",
    )
    TOLD_BY_PARTS = (
        "told_by_parts",
        "the groups join several factors, some of which are a grouping of their own: what is asked is what a cell adds "
        "to these parts (interaction), so its difference from the others and indices of all cells have no p",
    )
    SEPARATED = (
        "separated",
        "the level, with others, tells the outcome without error: the coefficient is Firth's, for that of "
        "maximum likelihood is infinite",
    )
    TOO_FEW_CLUSTERS = (
        "too_few_clusters",
        "fewer than 5 clusters with the level or with its reference: an error over them would be too small",
    )
    TOO_MANY_CLUSTERS = (
        "too_many_clusters",
        "leaving out every cluster in turn would take over a minute, so there is no error over clusters",
    )
    NOT_OF_SELECTION = (
        "not_of_selection",
        "calls are made on differences of means and rates: this row says the same otherwise, or tests nothing",
    )
    TOO_FEW_ROWS = (
        "too_few_rows",
        "the set has fewer than 6 rows, or the row no error, so that nothing is known of how chance stretched its size",
    )
    NOT_SIGNIFICANT = (
        "not_significant",
        "the row is not called, so its interval needs no allowance for being chosen, and no finding can be tipped",
    )
    BETWEEN_LOOKS = (
        "between_looks",
        "root prompts of the look are still to be answered, or it was taken with other answers: nothing is called",
    )
    LOOKS_SPENT = (
        "looks_spent",
        "the last look was taken, with other answers than these: its error rate is spent, so nothing is called",
    )
    TOLD_BY_CROSSING = (
        "told_by_crossing",
        "what these factors do together is the question of the grouping that joins them: p is to be read, and the "
        "effect is in no set",
    )
    DIFFERS_LATER = (
        "differs_later",
        "the cell stands once larger ones are taken out, and its row tells of what is left then: sizes after selection "
        "are of all cells together",
    )
    TOO_FEW_LABELS = (
        "too_few_labels",
        "fewer than 10 whole root prompts are labelled; the interval of a rate needs 15",
    )
    LABELS_NOT_WHOLE_PROMPTS = (
        "labels_not_whole_prompts",
        "single answers are labelled, not all answers to the root prompts that were drawn",
    )
    LABELS_INCOMPLETE = (
        "labels_incomplete",
        "of more than 5 % of the root prompts that were drawn some answer has no label",
    )
    LABELS_UNPAIRED = ("labels_unpaired", "other root prompts of one generation are labelled than of the other")
    CORRECTED_NOT_BOUNDED = (
        "corrected_not_bounded",
        "corrected values may lie outside the scale: they have no ratio, no log disparity and no interval of an index",
    )
    TOO_FEW_CONTROLS = (
        "too_few_controls",
        "the slice has fewer than 3 negative controls, or fewer than 3 types of them: they do not tell how far words "
        "move a measure",
    )
    CONTROL_INCOMPLETE = (
        "control_incomplete",
        "fewer than 3 negative controls, or fewer than 3 types of them, have a value in half of the root prompts that "
        "groups are compared on",
    )
    CONTROLS_NOT_SUPPORTED = (
        "controls_not_supported",
        "negative controls apply to means and rates of groups of prompts and to changes of these: not to categories, "
        "other statistics, interactions, factors of systems, units of their own, label-corrected values or a ground "
        "truth",
    )
    CONTROLS_OF_ONE_SYSTEM = (
        "controls_of_one_system",
        "one of the two systems has no value of a negative control that the other has",
    )
    NOTHING_MISSING = ("nothing_missing", "every answer that was asked for has a value")
    DESCRIPTIVE = ("descriptive", "the number describes the groups; no hypothesis belongs to it")


NOBODY_STANDS: Final = (InferenceReason.NO_MAJORITY_STAYS, InferenceReason.TOO_FEW_ROOT_PROMPTS)
"""Why groups that moved against each other keep the words they have against all others: two camps are told."""


def first_of(conditions: Sequence[NDArray[np.bool_]], words: Sequence[object]) -> NDArray[np.object_]:
    """The word, or array of words, of the first condition that holds; None where none does."""
    choices = [np.asarray(word, dtype=object) for word in words]
    return np.select(list(conditions), choices, np.asarray(None, dtype=object))


class Result(NamedTuple):
    """Rows of results, arrays of one shape; NaN, 0, False and None stand for NULL.

    null_median, null_q95: of the draws, in the unit of value. value_corrected: what is left of an index that
    noise pushes up. studentised: t or z; df: those of its interval. p_maxt: stepped down over the rows of the
    question, by Holm where p is of a t distribution. p_hypothesis: of the question that the rows answer, the same
    for all of them. p_by_t: p_maxt as it is of a t distribution, of rows that may need it once their set is known.
    p_negative_controls: that the row is no larger than what words alone do, by Holm; p_value, p_maxt, p_hypothesis,
    interval and p of margins allow for it, p_maxt_permuted, ci_low_sampling and ci_high_sampling do not; control_error,
    control_df: what it is made of. NaN without negative controls (contrasts/controlled.py).
    p_margin, p_equivalence: of lying past the margin and within it, unadjusted. sd: of the
    differences over root prompts, for planning; NaN where something else is the unit. skewness, skewness_of_hypothesis:
    of formulas/skewed.py, where the interval allows for them. n_draws: that p and floor
    are of. is_permuted: whether p is of draws. is_flipped: whether p_hypothesis is of sign flips too. method,
    scope: texts. reason: None where nothing is missing.
    """

    value: Floats
    std_error: Floats
    ci_low: Floats
    ci_high: Floats
    null_median: Floats
    null_q95: Floats
    value_corrected: Floats
    studentised: Floats
    df: Floats
    p_value: Floats
    p_maxt: Floats
    p_hypothesis: Floats
    p_by_t: Floats
    p_margin: Floats
    p_equivalence: Floats
    sd: Floats
    skewness: Floats
    skewness_of_hypothesis: Floats
    n_root_prompts: Ints
    n_units: Ints
    n_draws: Ints
    is_permuted: Bools
    is_flipped: Bools
    method: Objects
    scope: Objects
    reason: Objects
    p_negative_controls: Floats
    p_maxt_permuted: Floats
    control_error: Floats
    control_df: Floats
    ci_low_sampling: Floats
    ci_high_sampling: Floats

    @classmethod
    def of(cls, shape: tuple[int, ...], **fields: Any) -> "Result":
        """Rows of a shape with some fields, which broadcast to it; all others are NULL."""
        arrays = (np.asarray(fields.get(name, null)) for name, null in _NULL.items())
        return cls(*(array if array.shape == shape else np.full(shape, array) for array in arrays))

    @property
    def drawn(self) -> Floats:
        """Draws of each row with a permuted p or a floor; NaN where there is neither."""
        has_any = (self.is_permuted & ~np.isnan(self.p_value)) | ~np.isnan(self.null_q95)
        return np.where(has_any & (self.n_draws > 0), self.n_draws, np.nan)

    def taken(self, places: Ints) -> "Result":
        """Some of the columns."""
        return Result._make(field[places] for field in self)

    def refused(self, where: Bools, reason: object, fields: Collection[str] | None = None) -> "Result":
        """Rows of which some have nothing but a reason.

        Args:
            where: which ones; broadcasts to the shape of the rows.
            reason: a word, or one a row.
            fields: what they lose; everything where None.
        """
        if not where.any():
            return self
        lost = {
            name: np.where(where, null, getattr(self, name))
            for name, null in _NULL.items()
            if (name in fields if fields is not None else True)
        }
        return self._replace(**lost | {"reason": np.where(where, np.asarray(reason, dtype=object), self.reason)})

    def at(self, positions: Ints, n: int) -> "Result":
        """Columns of rows among n, at their positions; the others are NULL."""
        shape = (*self.value.shape[:-1], n)
        placed = Result(
            *(np.full(shape, null, dtype=field.dtype) for null, field in zip(_NULL.values(), self, strict=True))
        )
        for field, values in zip(placed, self, strict=True):
            field[..., positions] = values
        return placed


_NULL: Final[dict[str, Any]] = {
    **dict.fromkeys(Result._fields, np.nan),
    **dict.fromkeys(("n_root_prompts", "n_units", "n_draws"), 0),
    **dict.fromkeys(("is_permuted", "is_flipped"), False),
    **dict.fromkeys(("method", "scope", "reason"), np.array(None, dtype=object)),
}
# what is lost where nothing is tested, where nothing varies, and where no interval is known to hold
INTERVAL: Final = ("ci_low", "ci_high", "p_margin", "p_equivalence")
NULL_DISTRIBUTION: Final = ("null_median", "null_q95")
EVERY_P: Final = ("p_value", "p_maxt", "p_hypothesis", "p_by_t", "p_margin", "p_equivalence")
NO_P: Final = ("p_value", "p_maxt", "p_hypothesis", "p_by_t", *NULL_DISTRIBUTION)
TEST: Final = (*NO_P, "p_margin", "p_equivalence")
ERROR_FIELDS: Final = (*TEST, *INTERVAL, "std_error", "skewness", "value_corrected")


def joined(parts: Sequence[Result]) -> Result:
    """Put rows of some columns one after the other."""
    return Result(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

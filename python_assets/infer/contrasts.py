"""A group against what it is compared with: value, error, interval, p and noise floor of each row.

Belongs here: what every contrast shares, whichever scheme it is of: what the draws are asked, the fallback
where they are too few, the words of method and reason. Differences of means are means.py, rates in blocks
rates.py; q and verdicts are questions.py and verdict.py.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from python_assets.infer import interval
from python_assets.infer.interval import Interval
from python_assets.infer.multiplicity import StepDown, holm, min_p
from python_assets.infer.permutation import TIE, Draws, Floats, Ints, noise_floor, p_values
from python_assets.infer.reasons import InferenceReason, first_of
from python_assets.infer.reference import Reference
from python_assets.infer.sides import Counts, Sides
from python_assets.study.base import Against

Objects = NDArray[np.object_]


class Contrasts(NamedTuple):
    """One number a column and row, shape (columns, rows); NaN where NULL.

    studentised: t or z. p_maxt: stepped down over the rows of the question, by Holm where p is of a t
    distribution. p_question: of the question that the rows answer, the same for all of them. sd: of the
    differences over root prompts, for planning; NaN where something else is the unit. p_margin,
    p_equivalence: unadjusted. reason, method, scope: texts, reason None where nothing is missing.
    """

    value: Floats
    std_error: Floats
    ci_low: Floats
    ci_high: Floats
    null_median: Floats
    null_q95: Floats
    studentised: Floats
    p_value: Floats
    p_maxt: Floats
    p_question: Floats
    sd: Floats
    p_margin: Floats
    p_equivalence: Floats
    n_root_prompts: Ints
    n_units: Ints
    reason: Objects
    method: Objects
    scope: Objects


class Estimate(NamedTuple):
    """What the data alone say, shape (columns, rows): value, error, test statistic, its df and interval."""

    value: Floats
    std_error: Floats
    statistic: Floats
    df: Floats
    limits: Interval


class Tested(NamedTuple):
    """What the draws say of sizes of t.

    p_value, p_maxt: of each row and stepped down, shape (columns, rows). p_question: shape (columns,).
    median, q95: of the permuted sizes, shape (columns, rows).
    """

    p_value: Floats
    p_maxt: Floats
    p_question: Floats
    median: Floats
    q95: Floats


class Extremes:
    """Counts the draws as extreme as the observation, and sums up the rows of a question under each.

    Columns that belong together, such as the labels of a measure, are one question.
    """

    def __init__(
        self, observed: Floats, is_tested: NDArray[np.bool_], draws: Draws, n_together: int = 1
    ) -> None:
        """Take the sizes of t, shape (rows, columns), and which rows are tested, shape (rows,)."""
        self._observed, self._draws, self._n_together = observed, draws, n_together
        self._is_tested = np.repeat(is_tested, n_together)
        self._least = observed - TIE
        sizes = self._of_questions(observed)
        self._step_down = StepDown(np.where(self._is_tested[:, None], sizes, np.nan))
        self._sizes = np.empty((observed.shape[1], len(observed), draws.n))
        self._drawn = np.zeros((2, sizes.shape[1], draws.n))
        self._seen = self._statistics(sizes[None])[:, 0]

    def _of_questions(self, sizes: NDArray[Any]) -> NDArray[Any]:
        """Rows and columns of sizes (..., rows, columns) as rows of questions (..., rows, questions)."""
        *shape, n_rows, n_columns = sizes.shape
        parts = sizes.reshape(*shape, n_rows, n_columns // self._n_together, self._n_together)
        return np.moveaxis(parts, -1, -2).reshape(*shape, n_rows * self._n_together, -1)

    def _statistics(self, sizes: Floats) -> Floats:
        """Largest size and sum of squares over the rows tested, shape (2, draws, questions)."""
        tested = sizes if self._is_tested.all() else sizes[:, self._is_tested]
        if not tested.shape[1]:
            return np.zeros((2, len(sizes), sizes.shape[2]))
        return np.stack([tested.max(axis=1), np.einsum("bgf,bgf->bf", tested, tested)])

    def count(self, permuted: Floats, columns: slice, batch: slice) -> Counts:
        """Count both over a batch of draws.

        Args:
            permuted: sizes under each draw, shape (draws of the batch, rows, columns of the piece).
            columns: the piece; it cuts no question in two.
            batch: the draws.

        Returns:
            Shape (rows, columns of the piece), alone and stepped down one after the other.
        """
        self._sizes[columns, :, batch] = permuted.transpose(2, 1, 0)
        sizes = self._of_questions(permuted)
        questions = slice(columns.start // self._n_together, columns.stop // self._n_together)
        self._drawn[:, questions, batch] = self._statistics(sizes).transpose(0, 2, 1)
        alone = (permuted >= self._least[:, columns]).sum(axis=0)
        together = self._step_down.count(sizes, questions)
        return np.stack([alone, self._of_columns(together)])

    def _of_columns(self, of_questions: NDArray[Any]) -> NDArray[Any]:
        """Undo _of_questions for (rows, questions)."""
        n_questions = of_questions.shape[1]
        parts = of_questions.reshape(-1, self._n_together, n_questions)
        return parts.transpose(0, 2, 1).reshape(len(parts), -1)

    def tested(self, counts: Counts, beside: tuple[Floats, Floats] | None = None) -> Tested:
        """Turn counts over all draws into p values.

        Args:
            counts: sums over the batches.
            beside: what takes the place of the sum of squares: observed (questions,), drawn (questions,
                draws).
        """
        n_questions = self._drawn.shape[1]
        steps = self._of_questions(counts[1])
        p_maxt = self._of_columns(self._step_down.p_values(steps, self._draws))
        seen, drawn = self._seen, self._drawn
        if beside is not None:
            seen, drawn = np.stack([seen[0], beside[0]]), np.stack([drawn[0], beside[1]])
        p_question = np.full(n_questions, np.nan)
        if self._is_tested.any():
            p_question = min_p(seen, drawn, self._draws)
        median, q95 = noise_floor(self._sizes)
        return Tested(
            p_values(counts[0], self._draws).T, p_maxt.T, np.repeat(p_question, self._n_together), median, q95
        )


def is_floored(sides: Sides, alpha: float) -> bool:
    """Whether the draws are too few for some row of the question to come below alpha; then all take t.

    Source: inference.md section 1 (K = 2: R <= 5) and 6.3.
    """
    smallest = sides.smallest_p[sides.in_question]
    return bool((smallest > alpha / max(sides.n_tests, 1)).any())


def margin_p(
    estimate: Estimate, limits: Callable[[Floats], Interval], margin: Floats
) -> tuple[Floats, Floats]:
    """One-sided p of the margin, only for the columns that have one."""
    if np.isnan(margin).all():
        return np.full_like(estimate.value, np.nan), np.full_like(estimate.value, np.nan)
    return interval.margin_levels(
        estimate.value, limits, estimate.df, np.broadcast_to(margin[:, None], estimate.value.shape)
    )


def assemble(
    sides: Sides,
    estimate: Estimate,
    tested: Tested,
    levels: tuple[Floats, Floats],
    *,
    alpha: float,
    names: tuple[str, str, str],
    n_together: int = 1,
) -> Contrasts:
    """Put the parts together, with the fallback where no permutation p could reach alpha.

    Args:
        sides: what the rows compare.
        estimate: what the data say.
        tested: what the draws say.
        levels: p of being past the margin and within it.
        alpha: error rate.
        names: of permutation p, fallback p and interval.
        n_together: columns that are one question.
    """
    shape, is_tested, floored = estimate.value.shape, sides.in_question, is_floored(sides, alpha)
    held, enough, in_question = (
        np.where(which, 1.0, np.nan) for which in (sides.is_held, sides.is_tested, is_tested)
    )
    of_t = _t_p(sides, estimate, is_tested, n_together)
    p, p_maxt, p_question = tested.p_value * in_question, tested.p_maxt, tested.p_question[:, None]
    if floored:
        p, p_maxt, p_question = of_t
    elif sides.is_cautious:
        p, p_maxt, p_question = (np.fmax(*both) for both in zip(of_t, (p, p_maxt, p_question), strict=True))
    reason = first_of(
        [~sides.is_held, ~sides.is_tested, ~is_tested, np.full(len(is_tested), floored)],
        [
            InferenceReason.NO_SHARED_BLOCK,
            sides.few,
            sides.beside,
            InferenceReason.P_FLOOR,
        ],
    )
    texts = (reason, _methods(sides, names, floored), first_of([sides.is_tested], [sides.scope]))
    reason, method, scope = (np.broadcast_to(text, shape) for text in texts)
    unit = _value_of_one_t(estimate) * in_question
    return Contrasts(
        value=estimate.value * held,
        std_error=estimate.std_error * enough,
        ci_low=estimate.limits.low * enough,
        ci_high=estimate.limits.high * enough,
        null_median=tested.median * unit,
        null_q95=tested.q95 * unit,
        studentised=estimate.statistic * in_question,
        p_value=p,
        p_maxt=p_maxt,
        p_question=np.broadcast_to(p_question, shape),
        sd=estimate.std_error * np.sqrt(sides.n_units) * (enough if sides.has_sd else np.nan),
        p_margin=levels[0] * enough,
        p_equivalence=levels[1] * enough,
        n_root_prompts=np.broadcast_to(sides.n_root_prompts, shape),
        n_units=np.broadcast_to(sides.n_units, shape),
        reason=reason,
        method=method,
        scope=scope,
    )


def _t_p(
    sides: Sides, estimate: Estimate, is_tested: NDArray[np.bool_], n_together: int
) -> tuple[Floats, Floats, Floats]:
    """P of a t distribution: of rows, by Holm within the question, and of the question: the smallest."""
    p = 2 * stats.t.sf(np.abs(estimate.statistic), np.maximum(estimate.df, 1))
    p = np.where(is_tested, p, np.nan)
    of_questions = p.reshape(-1, n_together * p.shape[1])
    n_mirrored = max(int(is_tested.sum()) - sides.n_tests, 0)
    n_tests = np.maximum((~np.isnan(of_questions)).sum(axis=1) - n_mirrored * n_together, 1)
    adjusted = holm(of_questions, n_tests)
    smallest = np.fmin.reduce(adjusted, axis=1)
    return p, adjusted.reshape(p.shape), np.repeat(smallest, n_together)[:, None]


def _value_of_one_t(estimate: Estimate) -> Floats:
    """What |t| is multiplied by to be in the unit of the value: the error that t was made with."""
    t = np.abs(estimate.statistic)
    return np.divide(np.abs(estimate.value), t, out=np.asarray(estimate.std_error).copy(), where=t > TIE)


def _methods(sides: Sides, names: tuple[str, str, str], floored: bool) -> Objects:
    permuted, fallback, interval_name = names
    words = np.full(len(sides.smallest_p), permuted, dtype=object)
    if floored:
        words = np.array(
            [f"{fallback} (smallest permutation p {low:.3g})" for low in sides.smallest_p], dtype=object
        )
    texts = np.array([f"{word}, {interval_name}{sides.method}" for word in words], dtype=object)
    return first_of([sides.is_tested], [texts])


def blanked(contrasts: Contrasts, is_missing: NDArray[np.bool_], reason: InferenceReason) -> Contrasts:
    """Blank the rows of the columns that are missing, shape (columns,), but for the reason."""
    shape = contrasts.value.shape
    nothing = without_inference(shape, np.array(reason, dtype=object))
    return Contrasts._make(
        np.where(is_missing[:, None], blank, field) for blank, field in zip(nothing, contrasts, strict=True)
    )


def without_inference(shape: tuple[int, int], reason: Objects) -> Contrasts:
    """Rows of nothing but a reason, shape (columns, rows)."""
    numbers = dict.fromkeys(Contrasts._fields, np.full(shape, np.nan))
    texts = np.full(shape, None, dtype=object)
    nothing = np.zeros(shape, dtype=np.intp)
    of_fields: dict[str, Any] = numbers | {
        "n_root_prompts": nothing,
        "n_units": nothing,
        "reason": np.broadcast_to(reason, shape),
        "method": texts,
        "scope": texts,
    }
    return Contrasts(**of_fields)


def with_mirrors(contrasts: Contrasts, n_groups: int) -> Contrasts:
    """All ordered pairs, in the order of Reference.rows, from those whose group comes first."""
    group, other = Reference(Against.ALL_PAIRS).rows(n_groups)
    row = np.zeros((n_groups, n_groups), dtype=np.intp)
    row[np.triu_indices(n_groups, 1)] = np.arange(n_groups * (n_groups - 1) // 2)
    taken = Contrasts._make(field[:, (row + row.T)[group, other]] for field in contrasts)
    is_mirror = group > other
    return taken._replace(
        value=np.where(is_mirror, 0 - taken.value, taken.value),
        ci_low=np.where(is_mirror, 0 - taken.ci_high, taken.ci_low),
        ci_high=np.where(is_mirror, 0 - taken.ci_low, taken.ci_high),
    )

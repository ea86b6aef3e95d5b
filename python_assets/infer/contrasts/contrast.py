"""A group against what it is compared with: value, error, interval, p and noise floor of each row.

Belongs here: what every contrast shares, whichever scheme it is of: what the draws are asked, the fallback
where they are too few, the words of method and reason. Differences of means are means.py, rates in blocks
rates.py; q and verdicts are hypotheses.py and verdict.py.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from python_assets.infer.draws.exchange import TIE, Counted, Floats, Ints, noise_floor, p_values
from python_assets.infer.formulas.interval import Interval
from python_assets.infer.formulas.multiplicity import StepDown, holm, min_p
from python_assets.infer.formulas.skewed import Mean
from python_assets.infer.options import Reference
from python_assets.infer.result import INTERVAL, NULL_DISTRIBUTION, InferenceReason, Result, first_of
from python_assets.infer.schemes.differences import LARGEST_T, ContrastCounts, Counts
from python_assets.study.base import Against

OF_ROW: Final = ("p_value", "p_maxt", *NULL_DISTRIBUTION, *INTERVAL)


class Estimate(NamedTuple):
    """What the data alone say, shape (columns, rows): value, error, test statistic, its df and interval.

    skewness, skewness_of_hypothesis: of a Mean whose interval allows for them.
    """

    value: Floats
    std_error: Floats
    statistic: Floats
    df: Floats
    limits: Interval
    skewness: Floats | float = np.nan
    skewness_of_hypothesis: Floats | float = np.nan

    @property
    def mean(self) -> Mean:
        """What the interval of a mean is made of."""
        return Mean(self.value, self.std_error, self.df, self.skewness, self.skewness_of_hypothesis)


class Tested(NamedTuple):
    """What the draws say of sizes of t.

    p_value, p_maxt: of each row and stepped down, shape (columns, rows). p_hypothesis: shape (columns,).
    median, q95: of the permuted sizes, shape (columns, rows).
    """

    p_value: Floats
    p_maxt: Floats
    p_hypothesis: Floats
    median: Floats
    q95: Floats


class Null(NamedTuple):
    """What the draws say: p values, and the differences under every draw (columns, rows, draws)."""

    tested: Tested
    values: Floats

    def taken(self, places: Ints) -> "Null":
        """Some of the columns."""
        return Null(Tested._make(field[places] for field in self.tested), self.values[places])


class Extremes:
    """Counts the draws as extreme as the observation, and sums up the rows of a question under each.

    Columns that belong together, such as the labels of a measure, are one question.
    """

    def __init__(
        self,
        observed: Floats,
        is_tested: NDArray[np.bool_],
        draws: Counted,
        n_together: int = 1,
        *,
        has_floors: bool = True,
    ) -> None:
        """Take the sizes of t, shape (rows, columns), and which rows are tested, shape (rows,).

        Without noise floors sizes are not kept.
        """
        self._observed, self._draws, self._n_together = observed, draws, n_together
        self._is_tested = np.repeat(is_tested, n_together)
        self._least = observed - TIE
        sizes = self._of_hypotheses(observed)
        self._step_down = StepDown(np.where(self._is_tested[:, None], sizes, np.nan))
        self._sizes = np.empty((observed.shape[1], len(observed), draws.n)) if has_floors else None
        self._drawn = np.zeros((2, sizes.shape[1], draws.n))
        self._seen = self._statistics(sizes[None])[:, 0]

    def _of_hypotheses(self, sizes: NDArray[Any]) -> NDArray[Any]:
        """Rows and columns of sizes (..., rows, columns) as rows of questions (..., rows, questions)."""
        *shape, n_rows, n_columns = sizes.shape
        by_question = sizes.reshape(*shape, n_rows, n_columns // self._n_together, self._n_together)
        return np.moveaxis(by_question, -1, -2).reshape(*shape, n_rows * self._n_together, -1)

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
        if self._sizes is not None:
            self._sizes[columns, :, batch] = permuted.transpose(2, 1, 0)
        sizes = self._of_hypotheses(permuted)
        hypotheses = slice(columns.start // self._n_together, columns.stop // self._n_together)
        self._drawn[:, hypotheses, batch] = self._statistics(sizes).transpose(0, 2, 1)
        alone = (permuted >= self._least[:, columns]).sum(axis=0)
        together = self._step_down.count(sizes, hypotheses)
        return np.stack([alone, self._of_columns(together)])

    def _of_columns(self, of_hypotheses: NDArray[Any]) -> NDArray[Any]:
        """Undo _of_hypotheses for (rows, questions)."""
        n_hypotheses = of_hypotheses.shape[1]
        by_question = of_hypotheses.reshape(-1, self._n_together, n_hypotheses)
        return by_question.transpose(0, 2, 1).reshape(len(by_question), -1)

    def tested(self, counts: Counts) -> Tested:
        """Turn counts over all draws into p values.

        Args:
            counts: sums over the batches.
        """
        n_hypotheses = self._drawn.shape[1]
        steps = self._of_hypotheses(counts[1])
        p_maxt = self._of_columns(self._step_down.p_values(steps, self._draws))
        p_hypothesis = np.full(n_hypotheses, np.nan)
        if self._is_tested.any():
            p_hypothesis = min_p(self._seen, self._drawn, self._draws)
        p = p_values(counts[0], self._draws).T
        median, q95 = noise_floor(self._sizes) if self._sizes is not None else np.full((2, *p.shape), np.nan)
        return Tested(p, p_maxt.T, np.repeat(p_hypothesis, self._n_together), median, q95)


def levels_at(
    margin: Floats, shape: tuple[int, ...], levels: Callable[[Floats], tuple[Floats, Floats]]
) -> tuple[Floats, Floats]:
    """One-sided p of the margin of each column, for rows of a shape; NaN where no column has one."""
    if np.isnan(margin).all():
        return np.full(shape, np.nan), np.full(shape, np.nan)
    return levels(np.broadcast_to(margin[:, None], shape))


def assemble(
    rows: ContrastCounts,
    estimate: Estimate,
    tested: Tested,
    levels: tuple[Floats, Floats],
    *,
    alpha: float,
    names: tuple[str, str, str],
    n_together: int = 1,
) -> Result:
    """Put the parts together, with the fallback to t for all rows where no permutation p could bring one below alpha.

    Args:
        rows: what is counted of them.
        estimate: what the data say.
        tested: what the draws say.
        levels: p of being past the margin and within it.
        alpha: error rate.
        names: of permutation p, fallback p and interval.
        n_together: columns that are one question.

    Source: inference.md section 1 (K = 2: R <= 5) and 6.3.
    """
    is_floored = bool((rows.smallest_p[rows.in_hypothesis] > alpha / max(rows.n_tests, 1)).any())
    compared, enough, in_hypothesis = (
        np.where(condition, 1.0, np.nan) for condition in (rows.is_compared, rows.is_tested, rows.in_hypothesis)
    )
    levels_by_t = _t_p(rows, estimate, n_together)
    p, p_maxt, p_hypothesis = tested.p_value * in_hypothesis, tested.p_maxt, tested.p_hypothesis[:, None]
    if is_floored:
        p, p_maxt, p_hypothesis = levels_by_t
    elif rows.is_cautious:
        p, p_maxt, p_hypothesis = (np.fmax(*both) for both in zip(levels_by_t, (p, p_maxt, p_hypothesis), strict=True))
    first, fallback, interval_name = names
    words = [f"{fallback} (smallest permutation p {low:.3g})" if is_floored else first for low in rows.smallest_p]
    methods = np.array([f"{word}, {interval_name}{rows.method}" for word in words], dtype=object)
    # what |t| is multiplied by to be in the unit of the value: the error that t was made with
    t = np.abs(estimate.statistic)
    unit = np.divide(np.abs(estimate.value), t, out=np.array(estimate.std_error, dtype=float), where=t > TIE)
    unit = unit * in_hypothesis
    assembled = Result.of(
        estimate.value.shape,
        value=estimate.value * compared,
        std_error=estimate.std_error * enough,
        ci_low=estimate.limits.low * enough,
        ci_high=estimate.limits.high * enough,
        null_median=tested.median * unit,
        null_q95=tested.q95 * unit,
        studentised=estimate.statistic * in_hypothesis,
        df=estimate.df * in_hypothesis,
        p_value=p,
        p_maxt=p_maxt,
        p_hypothesis=p_hypothesis,
        sd=estimate.std_error * np.sqrt(rows.n_units) * (enough if rows.has_sd else np.nan),
        p_margin=levels[0] * enough,
        p_equivalence=levels[1] * enough,
        skewness=estimate.skewness * enough,
        skewness_of_hypothesis=estimate.skewness_of_hypothesis * enough,
        n_root_prompts=rows.n_root_prompts,
        n_units=rows.n_units,
        is_permuted=rows.is_tested & (not is_floored),
        method=first_of([rows.is_tested], [methods]),
        scope=first_of([rows.is_tested], [rows.scope]),
        reason=first_of(
            [~rows.is_compared, ~rows.is_tested, ~rows.in_hypothesis, np.full(len(words), is_floored)],
            [InferenceReason.NO_SHARED_BLOCK, rows.too_few, rows.outside, InferenceReason.P_FLOOR],
        ),
    )
    if not is_floored:
        return assembled
    return assembled.refused(_has_no_error(estimate) & rows.in_hypothesis, InferenceReason.NO_ERROR, OF_ROW)


def _has_no_error(estimate: Estimate) -> NDArray[np.bool_]:
    """Rows whose difference is the same on every unit: t has nothing to hold it against."""
    return np.abs(estimate.statistic) >= LARGEST_T


def _t_p(rows: ContrastCounts, estimate: Estimate, n_together: int) -> tuple[Floats, Floats, Floats]:
    """P of a t distribution: of rows, by Holm within the question, and of the question: the smallest."""
    p = 2 * stats.t.sf(np.abs(estimate.statistic), np.maximum(estimate.df, 1))
    p = np.where(rows.in_hypothesis & ~_has_no_error(estimate), p, np.nan)
    hypothesis_p = p.reshape(-1, n_together * p.shape[1])
    n_mirrored = max(int(rows.in_hypothesis.sum()) - rows.n_tests, 0)
    n_tests = np.maximum((~np.isnan(hypothesis_p)).sum(axis=1) - n_mirrored * n_together, 1)
    adjusted = holm(hypothesis_p, n_tests)
    smallest = np.fmin.reduce(adjusted, axis=1)
    return p, adjusted.reshape(p.shape), np.repeat(smallest, n_together)[:, None]


def with_mirrors(result: Result, n_groups: int) -> Result:
    """All ordered pairs, in the order of Reference.rows, from those whose group comes first."""
    group, other = Reference(Against.ALL_PAIRS).rows(n_groups)
    row = np.zeros((n_groups, n_groups), dtype=np.intp)
    row[np.triu_indices(n_groups, 1)] = np.arange(n_groups * (n_groups - 1) // 2)
    taken = Result._make(field[:, (row + row.T)[group, other]] for field in result)
    is_mirror = group > other
    return taken._replace(
        value=np.where(is_mirror, 0 - taken.value, taken.value),
        ci_low=np.where(is_mirror, 0 - taken.ci_high, taken.ci_low),
        ci_high=np.where(is_mirror, 0 - taken.ci_low, taken.ci_high),
        skewness=np.where(is_mirror, 0 - taken.skewness, taken.skewness),
    )

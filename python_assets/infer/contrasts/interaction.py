"""What the cells of a crossing have beyond what its declared parts make of them: value, error, p of cells and question.

Belongs here: the test. Whole root prompts are turned round, one sign for all cells of each, which keeps the spread of
every cell and how cells hang together; where there are too few root prompts, p is of a t distribution. Units that lie
in one cell each have the t of inference.md 2.7.

Source: inference.md 6.10.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from scipy import stats

from python_assets.infer.contrasts.contrast import OF_ROW, Estimate, Extremes, Tested
from python_assets.infer.contrasts.means import mean_levels
from python_assets.infer.design.design import MIN_UNITS, MIN_UNITS_OF_HYPOTHESIS, Design
from python_assets.infer.design.parts import FEWEST
from python_assets.infer.draws.exchange import TIE, Floats, Ints, goes_on, in_threads, pieces
from python_assets.infer.draws.flips import ROUNDING, Flips, studentised
from python_assets.infer.formulas import interval
from python_assets.infer.formulas.multiplicity import holm
from python_assets.infer.result import Bools, InferenceReason, Objects, Result, first_of
from python_assets.infer.schemes.choose import Blocks, InUnits
from python_assets.infer.schemes.differences import LARGEST_T, ratio
from python_assets.infer.schemes.residuals import Residuals, UnitResiduals, residuals
from python_assets.infer.schemes.units import MIN_UNITS_OF_GROUP, Units, unit_scopes

_FEWEST_FOR_FLIPS: Final = 6  # under which no flip can be called
BY_FLIPS: Final = "signs of whole root prompts flipped, studentised; cluster t interval"
BY_T: Final = "cluster t and its interval"
_BY_UNITS: Final = "unit t, t interval"
SIZES_AT_ONCE: Final = 8_000_000  # of the t under flips that a thread holds
_DRAWS_AT_ONCE: Final = 512


def interaction(
    scheme: Blocks | InUnits, x: Floats, parts: Ints, *, margin: Floats, n_together: int = 1, n_draws: int | None = None
) -> Result:
    """Test what cells have beyond their parts.

    Args:
        scheme: cells in blocks, or units of one cell each.
        x: cell means, rates or shares of labels, shape (cells, columns).
        parts: as Cells.asks_of_parts has them.
        margin: of each column, NaN where none is declared.
        n_together: columns that are one question.
        n_draws: of flips, in one stage; as the scheme has them where None.

    Returns:
        Shape (columns, groups). p_by_t: of rows, by Holm, as it is where flips are too few for what is asked.
    """
    question = InteractionRequest(parts, scheme.alpha, margin, n_together)
    if isinstance(scheme, Blocks):
        n_units = int(scheme.design.frame.root_of_block.max()) + 1
        n_all, n_first = (scheme.draws.n, scheme.n_first) if n_draws is None else (n_draws, None)

        def signs(roots: Ints) -> Flips:
            return Flips(scheme.flip_seed, n_all, n_units, roots, n_first)

        return of_blocks(scheme.design, x, question, signs)
    if scheme.units.owner is not None:
        return Result.of((x.shape[1], scheme.n_groups), reason=InferenceReason.PARTLY_NESTED)
    if scheme.units.is_replicate:
        return Result.of((x.shape[1], scheme.n_groups), reason=InferenceReason.TOO_FEW_ROOT_PROMPTS)
    return of_units(scheme.units, x, question)


class InteractionRequest(NamedTuple):
    """What is asked of a crossing.

    parts: as Cells.asks_of_parts has them. margin: of each column. n_together: columns that are one question.
    """

    parts: Ints
    alpha: float
    margin: Floats
    n_together: int = 1


class Weighted(NamedTuple):
    """Residuals over the sum of their weights, shape (root prompts, cells, columns), and the weights as shares."""

    u: Floats
    w: Floats
    n: Ints

    @classmethod
    def of(cls, left: Residuals) -> "Weighted":
        """Residuals as shares of their sum of weights; 0 for cells that no root prompt tells anything of."""
        total = left.weight.sum(axis=0)
        over = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
        return cls(left.own * over[:, None], left.weight * over, left.n)

    @property
    def df(self) -> Floats:
        """Of the interval, shape (cells,)."""
        squares = (self.w**2).sum(axis=0)
        degrees: Floats = np.divide(1.0, squares, out=np.ones_like(squares), where=squares > 0) - 1
        return degrees

    def under(self, total: Floats, crossed: Floats, squares: Floats) -> tuple[Floats, Floats]:
        """T and standard error of sums (..., cells, columns), from those of w u and of u^2."""
        n, weight_squares = self.n[:, None], (self.w**2).sum(axis=0)[:, None]
        spread = np.maximum(squares - 2 * total * crossed + total**2 * weight_squares, 0)
        is_zero = np.abs(total) <= ROUNDING * n * np.sqrt(squares)
        return studentised(total, n**2 * spread, n**2 * squares, np.maximum(n, 1), is_zero)


class ByT(NamedTuple):
    """P of a t distribution, shape (columns, cells): of each cell, by Holm within its question, and of the question."""

    alone: Floats
    stepped: Floats
    hypothesis: Floats


def of_blocks(design: Design, x: Floats, asked: InteractionRequest, signs: Callable[[Ints], Flips]) -> Result:
    """What cells that meet in blocks have beyond their parts.

    Args:
        design: the cells, of blocks of two groups or more.
        x: values, shape (cells, columns).
        asked: the question.
        signs: of root prompts, by their positions in the frame.
    """
    left = residuals(design.frame, design.cell, x, asked.parts)
    n_roots, shape = len(left.root), (x.shape[1], design.frame.n_groups)
    is_of_wordings = design.frame.is_of_wordings
    if not n_roots:
        return Result.of(shape, reason=InferenceReason.ALIASED)
    weighted = Weighted.of(left)
    n, df = weighted.n, weighted.df
    value = weighted.u.sum(axis=0)
    crossed, squares = (weighted.w[:, :, None] * weighted.u).sum(axis=0), (weighted.u**2).sum(axis=0)
    t, std_error = weighted.under(value, crossed, squares)
    is_sized: Bools = np.asarray((n >= MIN_UNITS) & (n_roots >= FEWEST))
    in_hypothesis: Bools = np.asarray(is_sized & (n >= MIN_UNITS_OF_HYPOTHESIS))
    is_permuted: Bools = np.asarray(in_hypothesis & (n_roots >= _FEWEST_FOR_FLIPS))
    estimate = _estimate(value.T, std_error.T, t.T, np.broadcast_to(df, shape), asked.alpha)
    by_t = _p_by_t(estimate, in_hypothesis, asked.n_together)
    tested, n_drawn = _of_t(by_t), np.zeros(shape, dtype=np.intp)
    if is_permuted.any():
        tested, n_drawn = _in_stages(weighted, np.abs(t), in_hypothesis, signs(left.root), asked)
    cells = _result(estimate, tested, asked.margin, is_told=n > 0, is_sized=is_sized, in_hypothesis=in_hypothesis)
    method = first_of([is_permuted, is_sized], [BY_FLIPS + design.method, BY_T + design.method])
    cells = cells._replace(
        p_by_t=by_t.stepped,
        sd=cells.std_error * np.sqrt(n),
        n_draws=n_drawn,
        n_root_prompts=np.broadcast_to(np.where(n > 0, design.roots_of_group, 0) if is_of_wordings else n, shape),
        n_units=np.broadcast_to(n, shape),
        is_permuted=np.broadcast_to(is_permuted, shape),
        method=np.broadcast_to(method, shape),
        scope=np.broadcast_to(first_of([is_sized], [design.scopes(n)]), shape),
        reason=np.broadcast_to(_reason_of_blocks(design, n, n_roots, in_hypothesis, is_permuted), shape),
    )
    return _without_error(cells, ~is_permuted & in_hypothesis)


def _reason_of_blocks(design: Design, n: Ints, n_roots: int, in_hypothesis: Bools, is_permuted: Bools) -> Objects:
    is_present = np.isin(np.arange(len(n)), design.groups)
    return first_of(
        [~is_present, n == 0, np.full(n.shape, n_roots < FEWEST), ~in_hypothesis, ~is_permuted],
        [
            InferenceReason.NO_SHARED_BLOCK,
            InferenceReason.ALIASED,
            InferenceReason.TOO_FEW_ROOT_PROMPTS,
            InferenceReason.FEW_BESIDE_OTHERS,
            InferenceReason.P_FLOOR,
        ],
    )


def of_units(units: Units, x: Floats, asked: InteractionRequest) -> Result:
    """What cells of units of their own have beyond their parts; arguments as of_blocks."""
    contrast = UnitResiduals(units, parts=asked.parts)
    is_told: Bools = np.asarray(contrast.difference.any(axis=1))
    shape = (x.shape[1], units.n_groups)
    if not is_told.any():
        return Result.of(shape, reason=InferenceReason.ALIASED)
    value, std_error, df = (field.T for field in contrast.differences(x))
    t = ratio(value, std_error, contrast.scale(x)[:, None])
    n = contrast.units_of_groups
    fewest = int(n[is_told].min())
    in_hypothesis = is_told & (fewest >= MIN_UNITS_OF_GROUP)
    estimate = _estimate(value, std_error, t, df, asked.alpha)
    tested = _of_t(_p_by_t(estimate, in_hypothesis, asked.n_together))
    cells = _result(
        estimate, tested, asked.margin, is_told=is_told, is_sized=in_hypothesis, in_hypothesis=in_hypothesis
    )
    method = np.full(n.shape, _BY_UNITS + units.method, dtype=object)
    scope = unit_scopes(np.full(n.shape, fewest), units.n_prompts, has_own_prompts=units.n_own_prompts is not None)
    n_root_prompts = units.n_root_prompts_of(is_told[None, units.group])[0]
    reason = first_of(
        [n == 0, ~is_told, ~in_hypothesis],
        [InferenceReason.NO_SHARED_BLOCK, InferenceReason.ALIASED, InferenceReason.TOO_FEW_UNITS],
    )
    cells = cells._replace(
        n_root_prompts=np.broadcast_to(np.where(is_told, n_root_prompts, 0), shape),
        n_units=np.broadcast_to(np.where(is_told, n, 0), shape),
        method=np.broadcast_to(first_of([in_hypothesis], [method]), shape),
        scope=np.broadcast_to(first_of([in_hypothesis], [scope]), shape),
        reason=np.broadcast_to(reason, shape),
    )
    return _without_error(cells, in_hypothesis)


def _of_t(by_t: ByT) -> Tested:
    """P of a t distribution in place of draws, without a floor."""
    nothing = np.full(by_t.alone.shape, np.nan)
    return Tested(by_t.alone, by_t.stepped, by_t.hypothesis, nothing, nothing)


def _estimate(value: Floats, std_error: Floats, t: Floats, df: Floats, alpha: float) -> Estimate:
    quantile = stats.t.isf(alpha / 2, np.where(df > 0, df, np.nan))
    return Estimate(value, std_error, t, df, interval.around(value, std_error, quantile))


def _result(
    estimate: Estimate, tested: Tested, margin: Floats, *, is_told: Bools, is_sized: Bools, in_hypothesis: Bools
) -> Result:
    """The numbers of rows: cells that are told have a value, those sized an error, those in question a p."""
    value_mask, sized, p_mask = (np.where(where, 1.0, np.nan) for where in (is_told, is_sized, in_hypothesis))
    levels = mean_levels(estimate, margin)
    return Result.of(
        estimate.value.shape,
        value=estimate.value * value_mask,
        std_error=estimate.std_error * sized,
        ci_low=estimate.limits.low * sized,
        ci_high=estimate.limits.high * sized,
        null_median=tested.median * estimate.std_error * p_mask,
        null_q95=tested.q95 * estimate.std_error * p_mask,
        studentised=estimate.statistic * p_mask,
        df=estimate.df * p_mask,
        p_value=tested.p_value * p_mask,
        p_maxt=tested.p_maxt * p_mask,
        p_hypothesis=tested.p_hypothesis[:, None],
        p_margin=levels[0] * p_mask,
        p_equivalence=levels[1] * p_mask,
    )


def _without_error(found: Result, by_t: Bools) -> Result:
    """Cells whose residual is the same on every unit have no t to be held against."""
    return found.refused((np.abs(found.studentised) >= LARGEST_T) & by_t, InferenceReason.NO_ERROR, OF_ROW)


def _p_by_t(estimate: Estimate, in_hypothesis: Bools, n_together: int) -> ByT:
    """P of t; cells that say the same, as two levels of a factor do, are one test."""
    n_columns, n_rows = estimate.value.shape
    has_p = in_hypothesis & (np.abs(estimate.statistic) < LARGEST_T)
    p = np.where(has_p, 2 * stats.t.sf(np.abs(estimate.statistic), np.maximum(estimate.df, TIE)), np.nan)
    shape = (n_columns // n_together, n_together * n_rows)
    hypothesis_p, value, t = (one.reshape(shape) for one in (p, estimate.value, estimate.statistic))
    stepped, hypothesis = np.full(shape, np.nan), np.full(len(hypothesis_p), np.nan)
    for number, row_p in enumerate(hypothesis_p):
        rows = np.flatnonzero(~np.isnan(row_p))
        if len(rows):
            first = alike(value[number, rows], t[number, rows])
            distinct = np.unique(first)
            adjusted = np.full(len(rows), np.nan)
            adjusted[distinct] = holm(row_p[rows[distinct]])
            stepped[number, rows], hypothesis[number] = adjusted[first], adjusted[distinct].min()
    return ByT(p, stepped.reshape(p.shape), np.repeat(hypothesis, n_together))


def alike(value: Floats, t: Floats) -> Ints:
    """Position of the first row that says the same as each: as large, and as many errors; shape (rows,)."""
    size, far = np.abs(value), np.abs(t)
    is_as_large = np.abs(size[:, None] - size) <= TIE * max(size.max(initial=0), 1)
    is_as_far = np.abs(far[:, None] - far) <= TIE * np.maximum(far, 1)
    return np.asarray((is_as_large & is_as_far).argmax(axis=1))


def mirrors_of(group_ids: Objects, result: Result) -> Objects:
    """Of each row of (columns, groups), flat, the first group of its column that says the same; None of the first."""
    mirrors = np.full(result.value.shape, None, dtype=object)
    for column_mirrors, value, t in zip(mirrors, result.value, result.studentised, strict=True):
        rows = np.flatnonzero(~np.isnan(t))
        if len(rows):
            first = alike(value[rows], t[rows])
            is_mirror = first != np.arange(len(rows))
            column_mirrors[rows[is_mirror]] = group_ids[rows[first[is_mirror]]]
    return mirrors.ravel()


def values_in_blocks(design: Design, x: Floats, parts: Ints) -> Floats:
    """The values of of_blocks alone, shape (columns, groups)."""
    weighted = Weighted.of(residuals(design.frame, design.cell, x, parts))
    return np.where(weighted.n > 0, weighted.u.sum(axis=0).T, np.nan)


def _in_stages(
    weighted: Weighted, observed: Floats, in_hypothesis: Bools, signs: Flips, asked: InteractionRequest
) -> tuple[Tested, Ints]:
    """What flips say, and how many each row had: more of them where p of the question is small (inference.md 6.5)."""
    n_rows, n_columns = observed.shape
    shape = (n_columns, n_rows)
    p, p_maxt, median, q95 = (np.full(shape, np.nan) for _ in range(4))
    collected = Tested(p, p_maxt, np.full(n_columns, np.nan), median, q95)
    n_drawn, waiting = np.zeros(shape, dtype=np.intp), np.arange(n_columns)
    for stage in signs.stages:
        step = asked.n_together * max(1, SIZES_AT_ONCE // (asked.n_together * n_rows * stage.n))

        def work(piece: slice, waiting: Ints = waiting, stage: Flips = stage) -> None:
            columns = waiting[piece]
            piece_weighted = Weighted(weighted.u[:, :, columns], weighted.w, weighted.n)
            tested = _flipped(piece_weighted, observed[:, columns], in_hypothesis, stage, asked.n_together)
            for field, new in zip(collected, tested, strict=True):
                field[columns] = new
            n_drawn[columns] = stage.n

        in_threads(work, list(pieces(len(waiting), step)))
        waiting = waiting[goes_on(collected.p_hypothesis[waiting], asked.alpha)]
        if not len(waiting):
            break
    return collected, n_drawn


def _flipped(weighted: Weighted, observed: Floats, in_hypothesis: Bools, signs: Flips, n_together: int) -> Tested:
    n_units, n_rows, n_columns = weighted.u.shape
    extremes = Extremes(observed, in_hypothesis, signs, n_together)
    flat = np.ascontiguousarray(weighted.u.reshape(n_units, -1))
    squares = (weighted.u**2).sum(axis=0)
    first = weighted.w[:1]
    is_even = bool((weighted.w == first).all())  # of complete blocks: w u is u over their number
    crossing = None if is_even else np.ascontiguousarray((weighted.w[:, :, None] * weighted.u).reshape(n_units, -1))
    counts, at = np.zeros((2, n_rows, n_columns), dtype=np.int64), 0
    for batch in signs.batches():
        for piece in pieces(len(batch), _DRAWS_AT_ONCE):
            shape = (piece.stop - piece.start, n_rows, n_columns)
            total = (batch[piece] @ flat).reshape(shape)
            crossed = total * first[0][:, None] if crossing is None else (batch[piece] @ crossing).reshape(shape)
            sizes = np.abs(weighted.under(total, crossed, squares)[0])
            counts += extremes.count(sizes, slice(0, n_columns), slice(at + piece.start, at + piece.stop))
        at += len(batch)
    return extremes.tested(counts)

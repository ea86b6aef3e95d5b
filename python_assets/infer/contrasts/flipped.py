"""P of a question by sign flips of whole root prompts: the guard of a permuted p where spreads are unequal.

Belongs here: the test alone. Shuffling labels takes it that all groups of a block spread alike; where one spreads more,
questions are called too often. Turning round all differences of a root prompt keeps the spread of each group and how
groups hang together, but takes it that differences are symmetric. Each p is right where the other is not, so the larger
one is taken.

Source: inference.md 6.3.
"""

import numpy as np

from python_assets.infer.draws.exchange import Floats, in_threads, pieces
from python_assets.infer.draws.flips import Flips, t_of_sums
from python_assets.infer.formulas.multiplicity import min_p
from python_assets.infer.result import Bools

SUMS_AT_ONCE = 256  # rows by columns of one product, in each thread
_DRAWS_AT_ONCE = 512  # of it, so that t under flips stays in cache


def flipped_p(by_unit: Floats, is_present: Bools, signs: Flips) -> Floats:
    """P of the min-p of max |t| and the sum of t^2 when signs of whole root prompts are turned round.

    Args:
        by_unit: difference of each row in each root prompt, shape (rows, root prompts, columns), 0 where absent.
        is_present: whether a root prompt has the row, shape (rows, root prompts).
        signs: of the root prompts.

    Returns:
        Shape (columns,); NaN where all ways to turn them round are taken and one of the two statistics is as large in
        no other than the observed one and its mirror: then flips object to nothing.
    """
    n_rows, n_units, n_columns = by_unit.shape
    n = is_present.sum(axis=1)
    seen = _statistics(by_unit.sum(axis=1)[None], by_unit, n)[:, 0]
    drawn = np.empty((2, n_columns, signs.n))
    at = 0
    for batch in signs.batches():
        width = max(SUMS_AT_ONCE // n_rows, 1)

        def work(columns: slice, batch: Floats = batch, at: int = at) -> None:
            z = by_unit[:, :, columns]
            flat = np.ascontiguousarray(z.swapaxes(0, 1)).reshape(n_units, -1)
            for piece in pieces(len(batch), _DRAWS_AT_ONCE):
                sums = (batch[piece] @ flat).reshape(piece.stop - piece.start, n_rows, -1)
                drawn[:, columns, at + piece.start : at + piece.stop] = _statistics(sums, z, n).swapaxes(1, 2)

        in_threads(work, list(pieces(n_columns, width)))
        at += len(batch)
    p = min_p(seen, drawn, signs)
    if signs.is_complete:
        n_as_large = (drawn.round(9) >= seen.round(9)[:, :, None]).sum(axis=2)
        p[(n_as_large <= 2).any(axis=0)] = np.nan
    return p


def _statistics(sums: Floats, by_unit: Floats, n: np.ndarray) -> Floats:
    """Largest |t| and sum of t^2 from sums over root prompts (draws, rows, columns); shape (2, draws, columns)."""
    squares = np.einsum("gru,gru->gu", by_unit, by_unit)
    t = t_of_sums(sums, squares, n[:, None])[0]
    np.abs(t, out=t)
    return np.stack([t.max(axis=1), np.einsum("bgf,bgf->bf", t, t)])

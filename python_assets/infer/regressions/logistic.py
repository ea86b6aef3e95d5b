"""Logistic regression of counts, by maximum likelihood or Firth's, of all clusters and without each.

Belongs here: fitting, deviance and the refits of leave-one-cluster-out. Rows that are alike are one row with counts:
the fit is that of single responses. What the errors come to is clusters.py.

Source: inference.md 11.
"""

import warnings
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, xlog1py, xlogy

from python_assets.infer.draws.exchange import Floats, Ints
from python_assets.infer.regressions.coding import independent_columns

_MOST_ROUNDS: Final = 50
CLOSE_ENOUGH: Final = 1e-10  # of coefficients between two rounds
_MOST_SECONDS: Final = 60.0  # of leaving every cluster out in turn
# of a refit from the full fit, measured on one core from 1,152 x 39 to 28,800 x 39; Firth's takes no longer
SECONDS_A_FIT: Final = 0.003
SECONDS_A_PRODUCT: Final = 8e-9  # of rows and the square of columns


class Counts(NamedTuple):
    """Rows of a regression: columns x, shape (rows, terms), n responses of which k are 1, and the cluster.

    cluster: of each row, from 0 without gaps.
    """

    x: Floats
    n: Floats
    k: Floats
    cluster: Ints

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.cluster.max()) + 1


class Fit(NamedTuple):
    """Coefficients, shape (terms,), and what they say of each row.

    probability: of a 1. std_error: by the model, which takes responses for independent. is_firth: whether the
    likelihood is penalised. intercept: that of probabilities: by FLIC where Firth's is the fit, so that probabilities
    add up to the events.
    """

    coefficients: Floats
    probability: Floats
    std_error: Floats
    is_firth: bool
    is_converged: bool
    intercept: float


def deviance(counts: Counts, probability: Floats) -> float:
    """-2 log likelihood of single responses."""
    return float(-2 * (xlogy(counts.k, probability) + xlog1py(counts.n - counts.k, -probability)).sum())


def infinite_columns(counts: Counts) -> NDArray[np.bool_]:
    """Whether the likelihood has its maximum at an infinite coefficient, by column.

    Source: Konis 2007, the linear program of R's detectseparation, by firthmodels.
    """
    from firthmodels import detect_separation

    rows, y, _ = _outcomes(counts)
    patterns = np.unique(np.column_stack([rows, y]), axis=0)
    return ~detect_separation(patterns[:, :-1], patterns[:, -1], fit_intercept=False).is_finite


def fit_logistic(counts: Counts, start: Floats | None = None) -> Fit:
    """Fit by maximum likelihood.

    Args:
        counts: columns without aliases, both outcomes, no separation.
        start: coefficients to start from.

    Returns:
        The fit; is_converged is False where coefficients still moved at the end, as they do for ever where a column
        separates the outcomes.
    """
    import statsmodels.api as sm
    from statsmodels.tools.sm_exceptions import ConvergenceWarning, PerfectSeparationWarning

    model = sm.GLM(np.column_stack([counts.k, counts.n - counts.k]), counts.x, family=sm.families.Binomial())
    with warnings.catch_warnings():
        for category in (ConvergenceWarning, PerfectSeparationWarning, RuntimeWarning):
            warnings.simplefilter("ignore", category)  # is_converged says it
        fitted = model.fit(start, maxiter=_MOST_ROUNDS, tol=CLOSE_ENOUGH, tol_criterion="params")
    b, is_converged = fitted.params, bool(fitted.converged)
    return Fit(b, expit(counts.x @ b), fitted.bse, is_firth=False, is_converged=is_converged, intercept=float(b[0]))


def fit_firth(counts: Counts, start: Floats | None = None) -> Fit:
    """Fit by Firth's penalised likelihood, which is finite whatever separates; arguments as fit_logistic.

    Source: Firth 1993; FLIC of Puhr and others 2017.
    """
    from firthmodels import FirthLogisticRegression
    from sklearn.exceptions import ConvergenceWarning

    rows, y, weight = _outcomes(counts)
    begin = np.zeros(rows.shape[1]) if start is None else start
    model = FirthLogisticRegression(backend="numpy", fit_intercept=False, max_iter=_MOST_ROUNDS, gtol=1e-8, xtol=1e-8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # is_converged says it
        model.fit(rows, y, sample_weight=weight, offset=rows @ begin)
    b = begin + model.coef_
    log_odds, is_converged = counts.x @ b, bool(model.converged_)
    intercept = float(b[0] + _flic(counts, log_odds))
    return Fit(b, expit(log_odds), model.bse_, is_firth=True, is_converged=is_converged, intercept=intercept)


def _outcomes(counts: Counts) -> tuple[Floats, Floats, Floats]:
    """Rows of one outcome each: columns, 1 or 0, and how many responses."""
    has_ones, has_zeros = counts.k > 0, counts.n > counts.k
    x = np.concatenate([counts.x[has_ones], counts.x[has_zeros]])
    y = np.repeat([1.0, 0.0], [has_ones.sum(), has_zeros.sum()])
    return x, y, np.concatenate([counts.k[has_ones], (counts.n - counts.k)[has_zeros]])


def _flic(counts: Counts, log_odds: Floats) -> float:
    """What is added to the intercept so that probabilities add up to the events."""
    shift = 0.0
    for _ in range(_MOST_ROUNDS):
        p = expit(log_odds + shift)
        step = float((counts.k - counts.n * p).sum() / (counts.n * p * (1 - p)).sum())
        shift += float(np.clip(step, -1, 1))
        if abs(step) < CLOSE_ENOUGH:
            break
    return shift


def fit_like(counts: Counts, fit: Fit, start: Floats | None = None) -> Fit:
    """Fit other counts in the way of a fit."""
    return (fit_firth if fit.is_firth else fit_logistic)(counts, start)


def takes_too_long(counts: Counts) -> bool:
    """Whether leaving out every cluster in turn takes over a minute: by arithmetic, not by the clock."""
    n_rows, n_columns = counts.x.shape
    return bool(counts.n_clusters * (SECONDS_A_FIT + SECONDS_A_PRODUCT * n_rows * n_columns**2) > _MOST_SECONDS)


def left_out(counts: Counts, fit: Fit) -> Floats:
    """The coefficients without each cluster in turn, started from the full fit, shape (clusters, terms).

    NaN where a term has no finite coefficient without the cluster: no row, or separated.
    """
    coefficients = np.full((counts.n_clusters, counts.x.shape[1]), np.nan)
    for cluster in range(counts.n_clusters):
        rest = Counts(*(rows[counts.cluster != cluster] for rows in counts))
        if rest.k.sum() in (0, rest.n.sum()):
            continue
        kept = np.flatnonzero(independent_columns(rest.x))
        rest = rest._replace(x=rest.x[:, kept])
        again = fit_like(rest, fit, fit.coefficients[kept])
        is_infinite = not again.is_converged and not fit.is_firth and infinite_columns(rest)
        coefficients[cluster, kept] = np.where(is_infinite, np.nan, again.coefficients)
    return coefficients

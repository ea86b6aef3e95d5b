"""One regression of one generation: coefficients of every level, and what each factor is worth.

Belongs here: from counts to rows of factor_importance and factor_models, before q. How effects are tested is
factor_tests.py.

Source: inference.md 11; multi-factor document, 3.4.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats
from scipy.special import expit

from python_assets.infer.draws.exchange import Floats, Ints
from python_assets.infer.options import Options
from python_assets.infer.regressions import logistic
from python_assets.infer.regressions.clusters import cluster_errors
from python_assets.infer.regressions.coding import Dropped, ModelColumns, RegressionDesign, Term, coded
from python_assets.infer.regressions.factor_tests import LEAST_CLUSTERS, Effect, Model
from python_assets.infer.result import InferenceReason, Result, joined
from python_assets.study.base import LEVEL_SEPARATOR

MAXIMUM_LIKELIHOOD: Final = "maximum likelihood"
FIRTH: Final = "Firth's penalised likelihood"
LEAST_FOR_AN_ERROR: Final = 2  # clusters at every corner of a coefficient


class ClusterResponses(NamedTuple):
    """Counts by cluster and levels: one column a factor in levels, one row a row of the others.

    n: responses with a value, k: those of them that are 1; no row has both of one cluster and all levels of another.
    """

    levels: pd.DataFrame
    cluster: Ints
    n: Floats
    k: Floats


class Importance(NamedTuple):
    """Rows of factor_importance, and of factor_models, the whole model first; without q."""

    terms: pd.DataFrame
    models: pd.DataFrame


def factor_importance(responses: ClusterResponses, design: RegressionDesign, options: Options) -> Importance:
    """Fit a regression and test every effect of it.

    Args:
        responses: the counts; rows without a response say which levels there could have been.
        design: factors, references and interactions.
        options: seed, B and alpha.

    Returns:
        A row a term: coefficient (log odds ratio), its errors, interval, p and probability; reason says why there is no
        coefficient, inference_reason why no p. A row a factor and interaction: its joint p and the deviance that it
        takes away.

    Source: inference.md 11; metrics.md 6.5.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):  # many small products: threads that wait for each other cost tenfold
        return _importance(responses, design, options)


def _importance(responses: ClusterResponses, design: RegressionDesign, options: Options) -> Importance:
    kept = responses.n > 0
    levels = responses.levels[kept].reset_index(drop=True)
    cluster = np.unique(responses.cluster[kept], return_inverse=True)[1]
    n_responses, n_events = int(responses.n.sum()), int(responses.k.sum())
    counted = {"n_responses": n_responses, "n_events": n_events, "n_clusters": len(np.unique(cluster))}
    constant = [name for name in design.references if levels[name].nunique() < 2]
    if not len(levels):
        return nothing_fitted(design, InferenceReason.NO_VALUES, counted)
    if n_events in (0, n_responses):
        return nothing_fitted(design, InferenceReason.NO_VARIATION, counted)
    if any(reference not in set(levels[factor]) for factor, reference in design.references.items()):
        return nothing_fitted(design, InferenceReason.NO_REFERENCE, counted)
    if len(constant) == len(design.references):
        return nothing_fitted(design, InferenceReason.ONE_GROUP, counted)
    varied = design._replace(
        references={name: level for name, level in design.references.items() if name not in constant},
        interactions=[one for one in design.interactions if not set(one) & set(constant)],
    )
    columns = coded(levels, varied)
    counts = logistic.Counts(columns.x, responses.n[kept], responses.k[kept], cluster)
    model = _fitted(varied, levels, columns, counts)
    effects = {Term(factors).factor: Effect(model, factors, options) for factors in varied.effects}
    tests = {name: effect.test() for name, effect in effects.items() if len(effect.terms)}
    absent = [Dropped(term, InferenceReason.NO_VALUES) for factor in constant for term in design.terms((factor,))]
    lost = [*columns.dropped, *absent]
    terms = _keys([*columns.terms, *(one.term for one in lost)], design).join(_terms(model, tests, options.alpha))
    why = [(one.reason, ", ".join(one.aliased_with) or None) for one in lost]
    terms = terms.join(pd.DataFrame(why, terms.index[len(columns.terms) :], ["reason", "aliased_with"], dtype=object))
    return Importance(terms, pd.DataFrame([counted | row for row in _models(model, effects, tests, constant)]))


def _fitted(design: RegressionDesign, levels: pd.DataFrame, columns: ModelColumns, counts: logistic.Counts) -> Model:
    separated = logistic.infinite_columns(counts)
    fit = (logistic.fit_firth if separated.any() else logistic.fit_logistic)(counts)
    has_errors = counts.n_clusters >= LEAST_FOR_AN_ERROR and not logistic.takes_too_long(counts)
    errors = cluster_errors(counts, fit, logistic.left_out(counts, fit)) if has_errors else None
    return Model(design, levels, columns, counts, fit=fit, separated=separated, errors=errors)


def _keys(terms: Sequence[Term], design: RegressionDesign) -> pd.DataFrame:
    references = [LEVEL_SEPARATOR.join(design.references[factor] for factor in term.factors) for term in terms]
    keys = {"factor": [one.factor for one in terms], "level": [one.level for one in terms], "reference": references}
    return pd.DataFrame(keys)


def _terms(model: Model, tests: Mapping[str, Result], alpha: float) -> pd.DataFrame:
    """A row a column: the intercept, then factor by factor.

    No error of a separated column: leaving clusters out one at a time changes Firth's coefficient too little. The
    interval only where enough clusters stand at every corner. The intercept, the log odds of a reference prompt, has
    no p, for no study asks whether they are even.
    """
    fit, counts, terms = model.fit, model.counts, model.coded.terms
    has = counts.x > 0
    implied = np.array([[bool(one.factors) and one.pairs <= term.pairs for one in terms] for term in terms])
    n_at_references = [model.n_clusters_with({name: level}) for name, level in model.design.references.items()]
    fewest = np.array([min(n_at_references), *map(model.fewest_clusters, terms[1:])])
    std_error, df = np.full((2, len(terms)), np.nan)
    if model.errors is not None:
        has_error = (fewest >= LEAST_FOR_AN_ERROR) & ~model.separated
        std_error, df = (np.where(has_error, one, np.nan) for one in (model.errors.std_error, model.errors.df))
    half = np.where(fewest >= LEAST_CLUSTERS, stats.t.ppf(1 - alpha / 2, df) * std_error, np.nan)
    tested = joined([Result.of((1,), reason=InferenceReason.DESCRIPTIVE), *tests.values()])
    columns = {
        "coefficient": fit.coefficients,
        "std_error": std_error,
        "std_error_model": fit.std_error,
        "odds_ratio": np.exp(fit.coefficients),
        "probability_at_reference": expit(fit.intercept + implied @ fit.coefficients),
        "n_responses": counts.n @ has,
        "n_clusters": counts.n_clusters,
        "n_clusters_level": [len(np.unique(counts.cluster[rows])) for rows in has.T],
        "df": df,
        "ci_low": fit.coefficients - half,
        "ci_high": fit.coefficients + half,
        "p_value": tested.p_value,
        "p_holm": tested.p_maxt,
        "method": tested.method,
        "scope": tested.scope,
        "inference_reason": tested.reason,
    }
    return pd.DataFrame(columns)


def _models(
    model: Model, effects: Mapping[str, Effect], tests: Mapping[str, Result], constant: Sequence[str]
) -> list[dict[str, Any]]:
    """The whole model, which is no question, then a row an effect, without how many responses there are."""
    counts, fit = model.counts, model.fit
    whole = logistic.deviance(counts, fit.probability)
    rate_deviance = logistic.deviance(counts, np.full(len(counts.n), counts.k.sum() / counts.n.sum()))
    few = counts.n_clusters < LEAST_FOR_AN_ERROR
    no_errors = InferenceReason.TOO_FEW_CLUSTERS if few else InferenceReason.TOO_MANY_CLUSTERS
    common = {"converged": fit.is_converged, "separated": fit.is_firth}
    first = {
        "factor": "",
        "n_coefficients": len(model.coded.terms),
        "deviance": whole,
        "mcfadden_r2": 1 - whole / rate_deviance,
        "method": FIRTH if fit.is_firth else MAXIMUM_LIKELIHOOD,
        "inference_reason": no_errors if model.errors is None else InferenceReason.DESCRIPTIVE,
    }
    rows: list[dict[str, Any]] = [common | first]
    for name, test in tests.items():
        effect, p = effects[name], float(test.p_hypothesis[0])
        other, fit_of_other = effect.without
        without = logistic.deviance(other, fit_of_other.probability)
        row = {
            "factor": name,
            "n_coefficients": len(effect.terms),
            "deviance": without,
            "deviance_drop": without - whole,
            "p_value_permutation": effect.p_drop,
            "p_value": p,
            "method": next((one for one in test.method if one is not None), None),
            "inference_reason": test.reason[0] if np.isnan(p) else None,
        }
        rows.append(common | row)
    rows += [{"factor": name, "reason": InferenceReason.ALIASED} for name in effects if name not in tests]
    return rows + [{"factor": name, "reason": InferenceReason.ONE_GROUP} for name in constant]


def nothing_fitted(design: RegressionDesign, reason: InferenceReason, counted: Mapping[str, int]) -> Importance:
    """Rows of nothing but the reason; counted: how many responses, events and clusters there are."""
    models = pd.DataFrame({"factor": ["", *(Term(factors).factor for factors in design.effects)]})
    return Importance(_keys([Term()], design).assign(reason=reason), models.assign(**counted, reason=reason))

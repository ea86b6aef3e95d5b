"""One regression of one generation: coefficients of every level, and what each factor is worth.

Belongs here: from counts to rows of factor_importance and factor_models, before q. How effects are tested is
factor_tests.py.

Source: inference.md 11; multi-factor document, 3.4.
"""

from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats
from scipy.special import expit

from python_assets.infer.cluster_errors import cluster_errors
from python_assets.infer.factor_tests import LEAST_CLUSTERS, Design, Effect, EffectTest, Model
from python_assets.infer.logistic import (
    Counts,
    deviance,
    fit_firth,
    fit_logistic,
    infinite_columns,
    left_out,
    takes_too_long,
)
from python_assets.infer.permutation import Floats, Ints
from python_assets.infer.reasons import InferenceReason
from python_assets.infer.scheme import Options
from python_assets.infer.treatment_coding import Coded, Term, coded

MAXIMUM_LIKELIHOOD: Final = "maximum likelihood"
FIRTH: Final = "Firth's penalised likelihood"
LEAST_FOR_AN_ERROR: Final = 2  # clusters on every side of a coefficient
Record = dict[str, Any]


class Responses(NamedTuple):
    """Counts by cluster and levels: one column a factor in levels, one row a row of the others.

    n: responses with a value, k: those of them that are 1; no row has both of one cluster and all levels of
    another.
    """

    levels: pd.DataFrame
    cluster: Ints
    n: Floats
    k: Floats


class Importance(NamedTuple):
    """Rows of factor_importance, and of factor_models, the whole model first; without keys and q."""

    terms: list[Record]
    models: list[Record]


def factor_importance(responses: Responses, design: Design, options: Options) -> Importance:
    """Fit a regression and test every effect of it.

    Args:
        responses: the counts; rows without a response say which levels there could have been.
        design: factors, references and interactions.
        options: seed, B and alpha.

    Returns:
        A row a term: coefficient (log odds ratio), its errors, interval, p and probability; reason says why
        there is no coefficient, inference_reason why no p. A row a factor and interaction: its joint p and
        the deviance that it takes away.

    Source: inference.md 11; metrics.md 6.5.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):  # many small products: threads that wait for each other cost tenfold
        return _importance(responses, design, options)


def _importance(responses: Responses, design: Design, options: Options) -> Importance:
    kept = responses.n > 0
    levels = responses.levels[kept].reset_index(drop=True)
    constant = [name for name in design.references if levels[name].nunique() < 2]
    reason = _why_not(levels, responses, design, constant)
    if reason is not None:
        return nothing_fitted(design, reason, _counted(responses))
    fitted = _without(design, constant)
    of = coded(levels[list(fitted.references)], fitted.references, fitted.interactions, fitted.order)
    cluster = np.unique(responses.cluster[kept], return_inverse=True)[1]
    model = _fitted(fitted, levels, of, Counts(of.x, responses.n[kept], responses.k[kept], cluster))
    effects = {Term(factors).factor: Effect(model, factors, options) for factors in fitted.effects}
    tests = {name: effect.test() for name, effect in effects.items() if len(effect.terms)}
    return Importance(
        [*_term_rows(model, tests, options.alpha), *_one_level_rows(design, constant)],
        _model_rows(model, effects, tests, responses, constant),
    )


def _why_not(
    levels: pd.DataFrame, responses: Responses, design: Design, constant: list[str]
) -> InferenceReason | None:
    """Why nothing is fitted at all."""
    if not len(levels):
        return InferenceReason.NO_VALUES
    if responses.k.sum() in (0, responses.n.sum()):
        return InferenceReason.NO_VARIATION
    if any(reference not in set(levels[factor]) for factor, reference in design.references.items()):
        return InferenceReason.NO_REFERENCE
    return InferenceReason.ONE_GROUP if len(constant) == len(design.references) else None


def _without(design: Design, constant: list[str]) -> Design:
    """The design without factors of one level."""
    return design._replace(
        references={name: level for name, level in design.references.items() if name not in constant},
        interactions=[one for one in design.interactions if not set(one) & set(constant)],
    )


def _fitted(design: Design, levels: pd.DataFrame, of: Coded, counts: Counts) -> Model:
    separated = infinite_columns(counts)
    is_firth = bool(separated.any())
    fit = fit_firth(counts) if is_firth else fit_logistic(counts)
    errors = None
    if counts.n_clusters >= LEAST_FOR_AN_ERROR and not takes_too_long(counts):
        errors = cluster_errors(counts, fit, left_out(counts, fit))
    return Model(
        design=design, levels=levels, coded=of, counts=counts, fit=fit, separated=separated, errors=errors
    )


def _term_rows(model: Model, tests: dict[str, EffectTest], alpha: float) -> list[Record]:
    """A row a term: the intercept, then factor by factor; of a factor, those without a column last."""
    rows = [_intercept_row(model, alpha)]
    for name in [Term(factors).factor for factors in model.design.effects]:
        for place, column in enumerate(model.coded.columns_of(name)):
            rows.append(_row(model, int(column), alpha) | _tested(tests[name], place))
        rows += [
            _keys(one.term) | {"reason": one.reason, "aliased_with": ", ".join(one.aliased_with) or None}
            for one in model.coded.dropped
            if one.term.factor == name
        ]
    return rows


def _keys(term: Term) -> Record:
    return {"factor": term.factor, "level": term.level, "reference": term.reference}


def _tested(test: EffectTest, place: int) -> Record:
    return {
        "p_value": test.p_level[place],
        "p_holm": test.p_holm[place],
        "method": test.method[place],
        "scope": test.scope[place],
        "inference_reason": test.reason[place],
    }


def _row(model: Model, column: int, alpha: float) -> Record:
    """Size and errors of a coefficient."""
    term, fit, counts = model.coded.terms[column], model.fit, model.counts
    coefficient = float(fit.coefficients[column])
    at = counts.x[:, column] > 0
    fewest = model.fewest_clusters(term)
    implied = [
        place for place, other in enumerate(model.coded.terms) if other.factors and other.pairs <= term.pairs
    ]
    return {
        **_keys(term),
        "coefficient": coefficient,
        "std_error_model": float(fit.std_error[column]),
        "odds_ratio": float(np.exp(coefficient)),
        "probability_at_reference": float(expit(fit.intercept + fit.coefficients[implied].sum())),
        "n_responses": int(counts.n[at].sum()),
        "n_clusters": counts.n_clusters,
        "n_clusters_level": len(np.unique(counts.cluster[at])),
        **_error(model, column, fewest, alpha),
    }


def _error(model: Model, column: int, fewest: int, alpha: float) -> Record:
    """Error over clusters; the interval only where enough of them stand on every side.

    None of a separated column: leaving clusters out one at a time changes Firth's coefficient too little.
    """
    if model.errors is None or fewest < LEAST_FOR_AN_ERROR or model.separated[column]:
        return {}
    coefficient = float(model.fit.coefficients[column])
    std_error, df = float(model.errors.std_error[column]), float(model.errors.df[column])
    half = stats.t.ppf(1 - alpha / 2, df) * std_error if fewest >= LEAST_CLUSTERS else np.nan
    return {"std_error": std_error, "df": df, "ci_low": coefficient - half, "ci_high": coefficient + half}


def _intercept_row(model: Model, alpha: float) -> Record:
    """The log odds of a reference prompt; it has no p, for no study asks whether they are even."""
    references = dict(model.design.references)
    sides = [model.n_clusters_with({name: level}) for name, level in references.items()]
    coefficient = float(model.fit.coefficients[0])
    return {
        **_keys(Term()),
        "coefficient": coefficient,
        "std_error_model": float(model.fit.std_error[0]),
        "odds_ratio": float(np.exp(coefficient)),
        "probability_at_reference": float(expit(model.fit.intercept)),
        "n_responses": int(model.counts.n.sum()),
        "n_clusters": model.counts.n_clusters,
        "n_clusters_level": model.counts.n_clusters,
        **_error(model, 0, min(sides), alpha),
        "inference_reason": InferenceReason.DESCRIPTIVE,
    }


def _one_level_rows(design: Design, constant: list[str]) -> list[Record]:
    """Levels of factors that the responses have one level of."""
    terms = [
        Term((factor,), (level,), (design.references[factor],))
        for factor in constant
        for level in design.order[factor]
        if level != design.references[factor]
    ]
    return [_keys(term) | {"reason": InferenceReason.NO_VALUES} for term in terms]


def _model_rows(
    model: Model,
    effects: dict[str, Effect],
    tests: dict[str, EffectTest],
    responses: Responses,
    constant: list[str],
) -> list[Record]:
    counts, fit = model.counts, model.fit
    whole = deviance(counts, fit.probability)
    rate = counts.k.sum() / counts.n.sum()
    common = _counted(responses) | {
        "converged": fit.is_converged,
        "separated": fit.is_firth,
        "method": FIRTH if fit.is_firth else MAXIMUM_LIKELIHOOD,
    }
    rows = [
        common
        | {
            "factor": "",
            "n_coefficients": len(model.coded.terms),
            "deviance": whole,
            "mcfadden_r2": 1 - whole / deviance(counts, np.full(len(counts.n), rate)),
            "inference_reason": _why_no_errors(model),
        }
    ]
    for name, effect in effects.items():
        if name not in tests:
            rows.append(_counted(responses) | {"factor": name, "reason": InferenceReason.ALIASED})
            continue
        test = tests[name]
        without = effect.deviance_without
        rows.append(
            common
            | {
                "factor": name,
                "n_coefficients": len(effect.terms),
                "deviance": without,
                "deviance_drop": without - whole,
                "p_value_permutation": effect.p_drop,
                "p_value": test.p_joint,
                "method": next((one for one in test.method if one is not None), None),
                "inference_reason": test.reason[0] if np.isnan(test.p_joint) else None,
            }
        )
    return rows + [
        _counted(responses) | {"factor": name, "reason": InferenceReason.ONE_GROUP} for name in constant
    ]


def _why_no_errors(model: Model) -> InferenceReason:
    """The whole model is no question; where its errors are missing, why."""
    if model.errors is not None:
        return InferenceReason.DESCRIPTIVE
    few = model.counts.n_clusters < LEAST_FOR_AN_ERROR
    return InferenceReason.TOO_FEW_CLUSTERS if few else InferenceReason.TOO_MANY_CLUSTERS


def _counted(responses: Responses) -> Record:
    return {
        "n_responses": int(responses.n.sum()),
        "n_events": int(responses.k.sum()),
        "n_clusters": len(np.unique(responses.cluster[responses.n > 0])),
    }


def nothing_fitted(design: Design, reason: InferenceReason, counted: Record) -> Importance:
    """Rows of nothing but the reason; counted: how many responses, events and clusters there are."""
    names = [Term(factors).factor for factors in design.effects]
    models = [counted | {"factor": name, "reason": reason} for name in ["", *names]]
    return Importance([_keys(Term()) | {"reason": reason}], models)

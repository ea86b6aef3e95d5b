"""How each effect of a regression is tested, and how much it matters: one rule for factors and interactions.

Belongs here: the choice between leaving clusters out, permuting whole clusters and comparing inside root
prompts, and the drop in deviance. The tests themselves are cluster_errors.py, cluster_scores.py and
blocked_levels.py.

Source: inference.md 11.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import log
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.infer.blocked_levels import blocked_levels
from python_assets.infer.cluster_errors import Errors, joint_p, t_p
from python_assets.infer.cluster_scores import Exchange, permuted_drop, permuted_levels
from python_assets.infer.logistic import Counts, Fit, deviance, fit_like
from python_assets.infer.multiplicity import holm
from python_assets.infer.permutation import Floats, Ints, stable_seed
from python_assets.infer.reasons import InferenceReason
from python_assets.infer.scheme import Options
from python_assets.infer.treatment_coding import Coded, Term, corners, has_levels

LEAST_CLUSTERS: Final = 5  # on every side of a coefficient, for its t
LEAST_PERMUTED: Final = 4
ARRANGEMENTS: Final = 20  # times 1 / alpha, that a permutation needs
BY_T: Final = "one cluster left out at a time, t"
BY_CLUSTERS: Final = "whole clusters permuted, studentised score"
BY_BLOCKS: Final = "inside root prompts"


class Design(NamedTuple):
    """What a regression is of: factors with their references, sets that interact, levels in order.

    scope: what clusters are draws of.
    """

    references: Mapping[str, str]
    interactions: Sequence[tuple[str, ...]]
    order: Mapping[str, Sequence[str]]
    scope: str

    @property
    def effects(self) -> list[tuple[str, ...]]:
        """Factors, then interactions."""
        return [*((factor,) for factor in self.references), *self.interactions]

    def partners(self, factors: tuple[str, ...]) -> frozenset[str]:
        """The factors that an effect meets in interactions that hold all of it."""
        met = [set(one) - set(factors) for one in self.interactions if set(factors) < set(one)]
        return frozenset().union(*met)


class Model(NamedTuple):
    """A regression that is fitted: rows, columns, coefficients, and errors where clusters could be left out.

    levels: one column a factor, one row a row of counts. separated: whether the likelihood has no finite
    coefficient, by column.
    """

    design: Design
    levels: pd.DataFrame
    coded: Coded
    counts: Counts
    fit: Fit
    separated: NDArray[np.bool_]
    errors: Errors | None

    def n_clusters_with(self, wanted: Mapping[str, str]) -> int:
        """Clusters with a row of all of these levels."""
        return len(np.unique(self.counts.cluster[has_levels(self.levels, wanted)]))

    def fewest_clusters(self, term: Term) -> int:
        """Clusters at the rarest of the combinations that a coefficient is a difference of."""
        partners = self.design.partners(term.factors)
        return min(map(self.n_clusters_with, corners(term, self.design.references, partners)))

    def n_levels_of_clusters(self, factor: str) -> Ints:
        """Levels of a factor in each cluster."""
        codes = pd.factorize(self.levels[factor])[0]
        pairs = np.unique(np.stack([self.counts.cluster, codes]), axis=1)
        return np.bincount(pairs[0], minlength=self.counts.n_clusters)

    def is_inside(self, factor: str) -> bool:
        """Whether most clusters hold several levels of a factor, so that it is compared inside them."""
        return bool((self.n_levels_of_clusters(factor) > 1).mean() > 0.5)

    def is_between(self, factor: str) -> bool:
        """Whether every cluster has one level of a factor."""
        return bool((self.n_levels_of_clusters(factor) == 1).all())


class EffectTest(NamedTuple):
    """P of an effect, and of each of its columns, by Holm inside the effect, with how and why not."""

    p_joint: float
    p_level: Floats
    p_holm: Floats
    method: list[str | None]
    reason: list[InferenceReason | None]
    scope: list[str | None]


class Effect:
    """A factor or interaction of a model: the model without it, and the tests of it."""

    def __init__(self, model: Model, factors: tuple[str, ...], options: Options) -> None:
        """Take one of the design's effects."""
        self.model, self.factors, self._options = model, factors, options
        self.columns = model.coded.columns_of(Term(factors).factor)
        self.terms = [model.coded.terms[column] for column in self.columns]
        self._seed = stable_seed(options.seed, "factor importance", *factors)

    @cached_property
    def _null(self) -> tuple[Counts, Fit]:
        """Rows and fit without the effect and the interactions that hold it."""
        model = self.model
        left = np.setdiff1d(np.arange(len(model.coded.terms)), model.coded.columns_with(self.factors))
        counts = model.counts._replace(x=model.counts.x[:, left])
        return counts, fit_like(counts, model.fit)

    @property
    def deviance_without(self) -> float:
        """Deviance of the model without the effect."""
        counts, fit = self._null
        return deviance(counts, fit.probability)

    @cached_property
    def _exchange(self) -> Exchange | None:
        """What changes places under the null; None where nothing does, or in too few arrangements."""
        model, factor = self.model, self.factors[0]
        if len(self.factors) > 1 or model.design.partners(self.factors):
            return None
        codes = pd.Categorical(model.levels[factor], categories=self._levels_present).codes.astype(np.intp)
        cluster = model.counts.cluster
        if model.is_between(factor):
            unit, stratum = cluster, self._strata()
        elif model.is_inside(factor):
            # all that a cluster has of a level moves together: what they share makes its cells alike
            pairs, unit = np.unique(np.stack([cluster, codes]), axis=1, return_inverse=True)
            stratum = pairs[0]
        else:
            return None
        level = codes[np.unique(unit, return_index=True)[1]]
        exchange = Exchange(unit, stratum, level, len(self._levels_present))
        enough = exchange.log_arrangements >= log(ARRANGEMENTS / self._options.alpha)
        return exchange if enough else None

    def _strata(self) -> Ints:
        """Clusters with the same levels of all other factors that clusters have one level of."""
        model = self.model
        others = [name for name in model.design.references if name != self.factors[0]]
        fixed = [name for name in others if model.is_between(name)]
        first = model.levels.iloc[np.unique(model.counts.cluster, return_index=True)[1]]
        codes = [pd.factorize(first[name])[0] for name in fixed]
        one = np.zeros(len(first), dtype=np.intp)
        return np.unique(np.stack([one, *codes]), axis=1, return_inverse=True)[1]

    @property
    def _levels_present(self) -> list[str]:
        """The reference, then the levels in the order of the design that have a row."""
        factor = self.factors[0]
        reference, there = self.model.design.references[factor], set(self.model.levels[factor])
        return [reference, *(one for one in self.model.design.order[factor] if one in there - {reference})]

    @property
    def p_drop(self) -> float:
        """P of the drop in deviance by permutation; NaN where nothing can be permuted."""
        if self._exchange is None:
            return np.nan
        counts, fit = self._null
        n_draws = self._options.n_draws_nonlinear
        return permuted_drop(counts, fit, self._exchange, n_draws=n_draws, seed=self._seed)

    def test(self) -> EffectTest:
        """Test the effect and each of its columns.

        Source: inference.md 11.
        """
        if len(self.factors) == 1 and self.model.is_inside(self.factors[0]):
            return self._inside()
        fewest = np.array([self.model.fewest_clusters(term) for term in self.terms])
        p, joint = np.full(len(self.terms), np.nan), np.nan
        is_t = (fewest >= LEAST_CLUSTERS) & ~self.model.separated[self.columns]
        if self.model.errors is not None:
            p = np.where(is_t, self._p_of_t(self.model.errors), np.nan)
            joint = joint_p(self.model.fit.coefficients, self.model.errors, self.columns[~np.isnan(p)])
        is_t = ~np.isnan(p)
        by_clusters = fewest >= LEAST_PERMUTED
        if (by_clusters & ~is_t).any() and self._has_whole_clusters:
            joint, permuted = self._by_clusters(by_clusters)
            p = np.where(by_clusters & ~is_t, permuted, p)
        words = zip(is_t, ~np.isnan(p), strict=True)
        method = [BY_T if t else BY_CLUSTERS if has_p else None for t, has_p in words]
        reason = [None if t else self._why_no_t(place, int(fewest[place])) for place, t in enumerate(is_t)]
        scope = [None if np.isnan(one) else self.model.design.scope for one in p]
        return _tested(joint, p, method, reason, scope)

    def _why_no_t(self, place: int, fewest: int) -> InferenceReason:
        if self.model.separated[self.columns[place]] and fewest >= LEAST_PERMUTED:
            return InferenceReason.SEPARATED
        too_many = self.model.errors is None and self.model.counts.n_clusters >= LEAST_CLUSTERS
        return InferenceReason.TOO_MANY_CLUSTERS if too_many else InferenceReason.TOO_FEW_CLUSTERS

    def _p_of_t(self, errors: Errors) -> Floats:
        own = self.columns
        return t_p(self.model.fit.coefficients[own], errors.std_error[own], errors.df[own])

    @property
    def _has_whole_clusters(self) -> bool:
        return self._exchange is not None and self.model.is_between(self.factors[0])

    def _by_clusters(self, tested: NDArray[np.bool_]) -> tuple[float, Floats]:
        """P of all tested columns and of each, by whole clusters that change places."""
        if self._exchange is None:
            raise TypeError("nothing changes places")
        place = np.array([self._levels_present.index(term.levels[0]) - 1 for term in self.terms])
        is_tested = np.zeros(len(self._levels_present) - 1, dtype=bool)
        is_tested[place] = tested
        counts, fit = self._null
        found = permuted_levels(
            counts, fit, self._exchange, is_tested, n_draws=self._options.n_permutations, seed=self._seed
        )
        return found.p_joint, found.p_level[place]

    def _inside(self) -> EffectTest:
        """By blocks: among the rows at the references of the factors that it interacts with."""
        model, factor = self.model, self.factors[0]
        fixed = {name: model.design.references[name] for name in model.design.partners(self.factors)}
        rows = has_levels(model.levels, fixed)
        counts, n = model.counts, len(self.terms)
        rate = (counts.k / counts.n)[rows]
        order = self._levels_present
        found = blocked_levels(model.levels[rows], counts.cluster[rows], rate, factor, order, self._options)
        if isinstance(found, InferenceReason):
            nothing = np.full(n, np.nan)
            return EffectTest(np.nan, nothing, nothing, [None] * n, [found] * n, [None] * n)
        place = [order.index(term.levels[0]) - 1 for term in self.terms]
        p = found.p_value[0, place]
        texts = ([getattr(found, name)[0, at] for at in place] for name in ("method", "reason", "scope"))
        method, reason, scope = texts
        named = [None if one is None else f"{BY_BLOCKS}: {one}" for one in method]
        if model.design.scope.startswith("units"):
            scope = [None if one is None else model.design.scope for one in scope]
        return _tested(float(found.p_question[0, 0]), p, named, reason, scope)


def _tested(
    joint: float,
    p: Floats,
    method: list[str | None],
    reason: list[InferenceReason | None],
    scope: list[str | None],
) -> EffectTest:
    """With Holm's p; the joint p is the smallest of these where there is none of all together."""
    adjusted = holm(p)
    if np.isnan(joint) and not np.isnan(adjusted).all():
        joint = float(np.nanmin(adjusted))
    return EffectTest(joint, p, adjusted, method, reason, scope)

"""How each effect of a regression is tested, and how much it matters: one rule for factors and interactions.

Belongs here: the choice between leaving clusters out, permuting whole clusters and comparing inside root prompts, and
the drop in deviance. The tests themselves are clusters.py and blocked_levels.py.

Source: inference.md 11.
"""

from collections.abc import Mapping
from functools import cached_property
from math import log
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.infer.draws.exchange import Ints, stable_seed
from python_assets.infer.formulas.multiplicity import holm
from python_assets.infer.options import Options
from python_assets.infer.regressions.blocked_levels import blocked_levels
from python_assets.infer.regressions.clusters import (
    ClusterErrors,
    Exchange,
    joint_p,
    permuted_drop,
    permuted_levels,
    t_p,
)
from python_assets.infer.regressions.coding import ModelColumns, RegressionDesign, Term, has_levels
from python_assets.infer.regressions.logistic import Counts, Fit, fit_like
from python_assets.infer.result import InferenceReason, Result, first_of

LEAST_CLUSTERS: Final = 5  # at every corner of a coefficient, for its t
LEAST_PERMUTED: Final = 4
ARRANGEMENTS: Final = 20  # times 1 / alpha, that a permutation needs
T_BY_CLUSTERS: Final = "one cluster left out at a time, t"
BY_CLUSTERS: Final = "whole clusters permuted, studentised score"
BY_BLOCKS: Final = "inside root prompts"


class Model(NamedTuple):
    """A regression that is fitted: rows, columns, coefficients, and errors where clusters could be left out.

    levels: one column a factor, one row a row of counts. separated: whether the likelihood has no finite coefficient,
    by column.
    """

    design: RegressionDesign
    levels: pd.DataFrame
    coded: ModelColumns
    counts: Counts
    fit: Fit
    separated: NDArray[np.bool_]
    errors: ClusterErrors | None

    def n_clusters_with(self, wanted: Mapping[str, str]) -> int:
        """Clusters with a row of all of these levels."""
        return len(np.unique(self.counts.cluster[has_levels(self.levels, wanted)]))

    def fewest_clusters(self, term: Term) -> int:
        """Clusters at the rarest of the combinations that a coefficient is a difference of."""
        return min(map(self.n_clusters_with, self.design.corners(term)))

    def is_inside(self, factor: str) -> bool:
        """Whether most clusters hold several levels of a factor, so that it is compared inside them."""
        return bool((self.levels[factor].groupby(self.counts.cluster).nunique() > 1).mean() > 0.5)

    def is_between(self, factor: str) -> bool:
        """Whether every cluster has one level of a factor."""
        return bool((self.levels[factor].groupby(self.counts.cluster).nunique() == 1).all())


class Effect:
    """A factor or interaction of a model: the model without it, and the tests of it."""

    def __init__(self, model: Model, factors: tuple[str, ...], options: Options) -> None:
        self.model, self.factors, self._options = model, factors, options
        self.columns = np.flatnonzero([term.factors == factors for term in model.coded.terms])
        self.terms = [model.coded.terms[column] for column in self.columns]
        self._seed = stable_seed(options.seed, "factor importance", *factors)

    @cached_property
    def without(self) -> tuple[Counts, Fit]:
        """Rows and fit without the effect and the interactions that hold it."""
        is_left = [not set(self.factors) <= set(term.factors) for term in self.model.coded.terms]
        counts = self.model.counts._replace(x=self.model.counts.x[:, is_left])
        return counts, fit_like(counts, self.model.fit)

    @cached_property
    def _exchange(self) -> Exchange | None:
        """What changes places under the null; None where nothing does, or in too few arrangements."""
        model, factor, cluster = self.model, self.factors[0], self.model.counts.cluster
        if len(self.factors) > 1 or model.design.partners(self.factors):
            return None
        codes = pd.Categorical(model.levels[factor], categories=self._present).codes.astype(np.intp)
        if model.is_between(factor):
            # clusters with the same levels of all other factors that clusters have one level of
            fixed = [name for name in model.design.references if name != factor and model.is_between(name)]
            first = model.levels.iloc[np.unique(cluster, return_index=True)[1]]
            others = [np.zeros(len(first), dtype=np.intp), *(pd.factorize(first[name])[0] for name in fixed)]
            unit, stratum = cluster, np.unique(np.stack(others), axis=1, return_inverse=True)[1]
        elif model.is_inside(factor):
            # all that a cluster has of a level moves together: what they share makes its cells alike
            pairs, unit = np.unique(np.stack([cluster, codes]), axis=1, return_inverse=True)
            stratum = pairs[0]
        else:
            return None
        exchange = Exchange(unit, stratum, codes[np.unique(unit, return_index=True)[1]], len(self._present))
        is_enough = exchange.log_arrangements >= log(ARRANGEMENTS / self._options.alpha)
        return exchange if is_enough else None

    @property
    def _present(self) -> list[str]:
        """The reference, then the levels in the order of the design that have a row."""
        factor = self.factors[0]
        reference, present = self.model.design.references[factor], set(self.model.levels[factor])
        return [reference, *(one for one in self.model.design.order[factor] if one in present - {reference})]

    @property
    def _positions(self) -> Ints:
        """Of each column of a factor, its level among those present but the reference."""
        return np.array([self._present.index(term.levels[0]) - 1 for term in self.terms])

    @property
    def p_drop(self) -> float:
        """P of the drop in deviance by permutation; NaN where nothing can be permuted.

        Of a factor between clusters the larger of this p and that of t, for few clusters that spread more than the
        others are called too often by draws that spread alike.
        """
        if self._exchange is None:
            return np.nan
        n_draws = self._options.n_draws_nonlinear
        permuted = permuted_drop(*self.without, self._exchange, n_draws=n_draws, seed=self._seed)
        errors = self.model.errors
        if errors is None or not self.model.is_between(self.factors[0]):
            return permuted
        return float(np.fmax(permuted, joint_p(self.model.fit.coefficients, errors, self.columns)))

    def test(self) -> Result:
        """Test the effect and each of its columns.

        Returns:
            A row a column: p_maxt by Holm inside the effect, p_hypothesis of all together, the smallest of p_maxt where
            there is none.

        Source: inference.md 11.
        """
        is_inside = len(self.factors) == 1 and self.model.is_inside(self.factors[0])
        tested = self._inside() if is_inside else self._between()
        adjusted, joint = holm(tested.p_value), tested.p_hypothesis
        if np.isnan(joint).all() and not np.isnan(adjusted).all():
            joint = np.full_like(adjusted, np.nanmin(adjusted))
        return tested._replace(p_maxt=adjusted, p_hypothesis=joint)

    def _between(self) -> Result:
        """By t, and by whole clusters that change places where one of the columns has none."""
        model, columns, n_draws = self.model, self.columns, self._options.n_permutations
        fewest = np.array([model.fewest_clusters(term) for term in self.terms])
        separated, is_enough = model.separated[columns], fewest >= LEAST_PERMUTED
        p, joint = np.full(len(columns), np.nan), np.nan
        if model.errors is not None:
            p_by_t = t_p(model.fit.coefficients[columns], model.errors.std_error[columns], model.errors.df[columns])
            p = np.where((fewest >= LEAST_CLUSTERS) & ~separated, p_by_t, np.nan)
            joint = joint_p(model.fit.coefficients, model.errors, columns[~np.isnan(p)])
        is_t = ~np.isnan(p)
        if (is_enough & ~is_t).any() and self._exchange is not None and model.is_between(self.factors[0]):
            tested = np.zeros(len(self._present) - 1, dtype=bool)
            tested[self._positions] = is_enough
            permuted = permuted_levels(*self.without, self._exchange, tested, n_draws=n_draws, seed=self._seed)
            joint = float(permuted.p_hypothesis[0])
            p = np.where(is_enough & ~is_t, permuted.p_value[self._positions], p)
        too_many = model.errors is None and model.counts.n_clusters >= LEAST_CLUSTERS
        other = InferenceReason.TOO_MANY_CLUSTERS if too_many else InferenceReason.TOO_FEW_CLUSTERS
        return Result.of(
            p.shape,
            p_value=p,
            p_hypothesis=joint,
            method=first_of([is_t, ~np.isnan(p)], [T_BY_CLUSTERS, BY_CLUSTERS]),
            scope=first_of([~np.isnan(p)], [model.design.scope]),
            reason=first_of([is_t, separated & is_enough, ~is_t], [None, InferenceReason.SEPARATED, other]),
        )

    def _inside(self) -> Result:
        """By blocks: among the rows at the references of the factors that it interacts with."""
        model, counts, factor = self.model, self.model.counts, self.factors[0]
        fixed = {name: model.design.references[name] for name in model.design.partners(self.factors)}
        rows = has_levels(model.levels, fixed)
        rate = (counts.k / counts.n)[rows]
        tested = blocked_levels(model.levels[rows], counts.cluster[rows], rate, factor, self._present, self._options)
        tested = Result._make(field[self._positions] for field in tested)
        method = [None if one is None else f"{BY_BLOCKS}: {one}" for one in tested.method]
        scope = [None if one is None else model.design.scope for one in tested.scope]
        tested = tested._replace(method=np.array(method, dtype=object))
        return tested._replace(scope=np.array(scope, dtype=object)) if model.design.has_units else tested

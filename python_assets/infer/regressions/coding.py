"""Factors as columns of a regression: treatment coding on reference levels, and what cannot be told apart.

Belongs here: designs, terms, their columns, the corners that a coefficient is a difference of, and which columns are
dropped and why. Fitting is logistic.py.

Source: metrics.md 6.5.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Final, NamedTuple

import duckdb
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.infer.draws.exchange import Floats
from python_assets.infer.result import InferenceReason
from python_assets.infer.tables import SIMILAR_PROMPTS, SIMILAR_UNITS
from python_assets.study.analysis import Regression
from python_assets.study.base import LEVEL_SEPARATOR, grouping_id
from python_assets.study.factors import OF_SYSTEMS

INTERCEPT: Final = "(intercept)"
_LEAST_SHARE: Final = 1e-9  # of a column's length that must be left once the columns before it are taken off
_LEVELS: Final = "select factor, level from raw.factor_levels order by factor, level_position"
_OF_SYSTEMS: Final = "select distinct factor, level from raw.system_factors order by factor, level"
_FACTORS: Final = "select factor, factor_type, reference_level from raw.factors"


class Term(NamedTuple):
    """One column: a level of a factor, or levels of several together; the intercept has none.

    factors, levels: in the same order.
    """

    factors: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()

    @property
    def factor(self) -> str:
        """Its name in the tables, for example 'gender x race'."""
        return grouping_id(self.factors) if self.factors else INTERCEPT

    @property
    def level(self) -> str:
        """The level in the tables, for example 'Female x Malay'; empty of the intercept."""
        return LEVEL_SEPARATOR.join(self.levels)

    @property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Factors with their levels."""
        return frozenset(zip(self.factors, self.levels, strict=True))

    @property
    def name(self) -> str:
        """Factor and level in one word, for example 'gender=Female'."""
        return f"{self.factor}={self.level}" if self.factors else INTERCEPT


class RegressionDesign(NamedTuple):
    """What a regression is of: factors with their references, sets that interact, levels in order.

    of_models: the factors that generations have. has_units: whether clusters are units, such as names, that share
    prompts; else they are root prompts.
    """

    references: Mapping[str, str]
    interactions: Sequence[tuple[str, ...]]
    order: Mapping[str, Sequence[str]]
    of_models: tuple[str, ...] = ()
    has_units: bool = False

    @property
    def of_prompts(self) -> tuple[str, ...]:
        """The factors that prompts have, in order."""
        return tuple(name for name in self.references if name not in self.of_models)

    @property
    def effects(self) -> list[tuple[str, ...]]:
        """Factors, then interactions."""
        return [*((factor,) for factor in self.references), *self.interactions]

    @property
    def scope(self) -> str:
        """What clusters are draws of."""
        return SIMILAR_UNITS if self.has_units else SIMILAR_PROMPTS

    def terms(self, factors: tuple[str, ...]) -> list[Term]:
        """What an effect has a column of: its levels but the references, in their order."""
        others = ([level for level in self.order[one] if level != self.references[one]] for one in factors)
        return [Term(factors, chosen) for chosen in product(*others)]

    def partners(self, factors: tuple[str, ...]) -> frozenset[str]:
        """The factors that an effect meets in interactions that hold all of it."""
        met = [set(one) - set(factors) for one in self.interactions if set(factors) < set(one)]
        return frozenset().union(*met)

    def corners(self, term: Term) -> list[dict[str, str]]:
        """The combinations of levels whose log odds a coefficient is a difference of.

        Of one factor: its level and its reference; of several: every mix of the two. The factors that these meet in
        interactions are at their references.
        """
        fixed = {factor: self.references[factor] for factor in self.partners(term.factors)}
        pairs = [(level, self.references[factor]) for factor, level in zip(term.factors, term.levels, strict=True)]
        return [fixed | dict(zip(term.factors, mixed, strict=True)) for mixed in product(*pairs)]


def regression_designs(
    connection: duckdb.DuckDBPyConnection, regressions: Mapping[str, Regression]
) -> dict[str, RegressionDesign]:
    """Read levels and references of the factors of every regression.

    Args:
        connection: to a build file with the design and the factors of generations.
        regressions: as declared.

    Returns:
        By regression. The reference is the one that stands there, else the factor's, else its first level.
    """
    known = {name: (kind, reference) for name, kind, reference in connection.execute(_FACTORS).fetchall()}
    # a prompt has a template, and so has a generation: the prompt's is meant where it has one
    model_factors = {name for name, (kind, _) in known.items() if kind == "model"} | {*OF_SYSTEMS} - set(known)
    levels: dict[str, list[str]] = {}
    system_levels = [row for row in connection.execute(_OF_SYSTEMS).fetchall() if row[0] in model_factors]
    for factor, level in dict.fromkeys(connection.execute(_LEVELS).fetchall() + system_levels):
        levels.setdefault(factor, []).append(level)
    designs = {}
    for name, regression in regressions.items():
        order = {factor: levels.get(factor, []) for factor in regression.declared_references}
        references = {
            factor: reference or known.get(factor, ("", None))[1] or next(iter(order[factor]), "")
            for factor, reference in regression.declared_references.items()
        }
        interactions = [tuple(one) for one in regression.interactions]
        designs[name] = RegressionDesign(
            references, interactions, order, tuple(one for one in references if one in model_factors)
        )
    return designs


class Dropped(NamedTuple):
    """A term without a column: why, and the terms whose columns add up to its own."""

    term: Term
    reason: InferenceReason
    aliased_with: tuple[str, ...] = ()


class ModelColumns(NamedTuple):
    """The columns of a regression, shape (rows, terms), the intercept first; and what has none."""

    x: Floats
    terms: list[Term]
    dropped: list[Dropped]


def coded(levels: pd.DataFrame, design: RegressionDesign) -> ModelColumns:
    """Code factors against their references; leave out what the other columns add up to.

    Args:
        levels: one column a factor, one row a row of the regression.
        design: the factors, with levels that no row has among theirs.

    Returns:
        Columns in the order of the factors, then of the interactions. A level without a row is dropped
        (no_values), then one that the columns before it add up to (aliased).

    Source: metrics.md 6.5.
    """
    from scipy import linalg  # a plan without regressions reads this file too

    terms = [Term(), *(term for factors in design.effects for term in design.terms(factors))]
    columns = np.column_stack([has_levels(levels, dict(term.pairs)) for term in terms]).astype(float)
    dropped = [Dropped(terms[at], InferenceReason.NO_VALUES) for at in np.flatnonzero(~columns.any(axis=0))]
    present = np.flatnonzero(columns.any(axis=0))
    is_kept = independent_columns(columns[:, present])
    x, kept = columns[:, present[is_kept]], [terms[at] for at in present[is_kept]]
    for at in present[~is_kept]:
        # the terms that the column is a sum of, the intercept left out where others are there
        weights = linalg.lstsq(x, columns[:, at])[0]
        named = [term.name for term, weight in zip(kept, weights, strict=True) if abs(weight) > 1e-6]
        aliases = tuple(name for name in named if name != INTERCEPT) or tuple(named)
        dropped.append(Dropped(terms[at], InferenceReason.ALIASED, aliases))
    return ModelColumns(x, kept, dropped)


def has_levels(levels: pd.DataFrame, wanted: Mapping[str, str]) -> NDArray[np.bool_]:
    """Whether each row has all of some levels."""
    return (levels[list(wanted)] == list(wanted.values())).all(axis=1).to_numpy(dtype=bool)


def independent_columns(x: Floats) -> NDArray[np.bool_]:
    """Whether each column is no sum of those before it, shape (columns,)."""
    from scipy import linalg

    is_kept = np.zeros(x.shape[1], dtype=bool)
    basis = np.empty((len(x), 0))
    for at, column in enumerate(x.T):
        left = column
        for _ in range(2):  # a second pass takes off what rounding left of the first
            left = left - basis @ (basis.T @ left)
        length = linalg.norm(left)
        if length > _LEAST_SHARE * max(linalg.norm(column), 1.0):
            is_kept[at] = True
            basis = np.column_stack([basis, left / length])
    return is_kept

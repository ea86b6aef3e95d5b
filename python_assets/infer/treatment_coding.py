"""Factors as columns of a regression: treatment coding on reference levels, and what cannot be told apart.

Belongs here: terms, their columns, the corners that a coefficient is a difference of, and which columns are
dropped and why. Fitting is logistic.py.

Source: metrics.md 6.5.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import linalg

from python_assets.infer.permutation import Floats
from python_assets.infer.reasons import InferenceReason
from python_assets.study.base import LEVEL_SEPARATOR, grouping_id

INTERCEPT: Final = "(intercept)"
LEAST_SHARE: Final = 1e-9  # of a column's length that must be left once the columns before it are taken off


class Term(NamedTuple):
    """One column: a level of a factor, or levels of several together; the intercept has none.

    factors, levels, references: in the same order.
    """

    factors: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    references: tuple[str, ...] = ()

    @property
    def factor(self) -> str:
        """Its name in the tables, for example 'gender x race'."""
        return grouping_id(self.factors) if self.factors else INTERCEPT

    @property
    def level(self) -> str:
        """The level in the tables, for example 'Female x Malay'; empty of the intercept."""
        return LEVEL_SEPARATOR.join(self.levels)

    @property
    def reference(self) -> str:
        """The reference in the tables; empty of the intercept."""
        return LEVEL_SEPARATOR.join(self.references)

    @property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Factors with their levels."""
        return frozenset(zip(self.factors, self.levels, strict=True))

    @property
    def name(self) -> str:
        """Factor and level in one word, for example 'gender=Female'."""
        return f"{self.factor}={self.level}" if self.factors else INTERCEPT


class Dropped(NamedTuple):
    """A term without a column: why, and the terms whose columns add up to its own."""

    term: Term
    reason: InferenceReason
    aliased_with: tuple[str, ...] = ()


class Coded(NamedTuple):
    """The columns of a regression, shape (rows, terms), the intercept first; and what has none."""

    x: Floats
    terms: list[Term]
    dropped: list[Dropped]

    def columns_of(self, factor: str) -> NDArray[np.intp]:
        """The columns of a factor or interaction, by its name in the tables."""
        return np.flatnonzero([term.factor == factor for term in self.terms])

    def columns_with(self, factors: tuple[str, ...]) -> NDArray[np.intp]:
        """The columns of an effect and of every interaction that holds all of its factors."""
        return np.flatnonzero(
            [bool(term.factors) and set(factors) <= set(term.factors) for term in self.terms]
        )


def coded(
    levels: pd.DataFrame,
    references: Mapping[str, str],
    interactions: Sequence[tuple[str, ...]],
    order: Mapping[str, Sequence[str]],
) -> Coded:
    """Code factors against their references; leave out what the other columns add up to.

    Args:
        levels: one column a factor, one row a row of the regression.
        references: the level of each factor that has no column.
        interactions: sets of two factors or more.
        order: the levels of each factor in their order, those without a row among them.

    Returns:
        Columns in the order of the factors, then of the interactions. A level without a row is dropped
        (no_values), then one that the columns before it add up to (aliased).

    Source: metrics.md 6.5.
    """
    terms = [Term(), *_terms([(factor,) for factor in references], references, order)]
    terms += _terms(interactions, references, order)
    columns = {term: _column(levels, term) for term in terms}
    empty = [Dropped(term, InferenceReason.NO_VALUES) for term in terms if not columns[term].any()]
    gone = {one.term for one in empty}
    present = [term for term in terms if term not in gone]
    x = np.column_stack([columns[term] for term in present])
    is_kept = independent_columns(x)
    kept = [term for term, keep in zip(present, is_kept, strict=True) if keep]
    aliased = [
        Dropped(term, InferenceReason.ALIASED, _sums(x[:, is_kept], kept, columns[term]))
        for term, keep in zip(present, is_kept, strict=True)
        if not keep
    ]
    return Coded(x[:, is_kept], kept, empty + aliased)


def _terms(
    sets: Sequence[tuple[str, ...]], references: Mapping[str, str], order: Mapping[str, Sequence[str]]
) -> list[Term]:
    return [
        Term(factors, chosen, tuple(references[factor] for factor in factors))
        for factors in sets
        for chosen in product(
            *([level for level in order[factor] if level != references[factor]] for factor in factors)
        )
    ]


def _column(levels: pd.DataFrame, term: Term) -> Floats:
    return has_levels(levels, dict(zip(term.factors, term.levels, strict=True))).astype(float)


def has_levels(levels: pd.DataFrame, wanted: Mapping[str, str]) -> NDArray[np.bool_]:
    """Whether each row has all of some levels."""
    found = np.ones(len(levels), dtype=bool)
    for factor, level in wanted.items():
        found &= (levels[factor] == level).to_numpy()
    return found


def independent_columns(x: Floats) -> NDArray[np.bool_]:
    """Whether each column is no sum of those before it, shape (columns,)."""
    is_kept = np.zeros(x.shape[1], dtype=bool)
    basis = np.empty((len(x), 0))
    for place in range(x.shape[1]):
        left = x[:, place]
        for _ in range(2):  # a second pass takes off what rounding left of the first
            left = left - basis @ (basis.T @ left)
        length = linalg.norm(left)
        if length > LEAST_SHARE * max(linalg.norm(x[:, place]), 1.0):
            is_kept[place] = True
            basis = np.column_stack([basis, left / length])
    return is_kept


def _sums(x: Floats, terms: Sequence[Term], column: Floats) -> tuple[str, ...]:
    """The terms that a column is a sum of, the intercept left out where others are there."""
    weights = linalg.lstsq(x, column)[0]
    named = [term.name for term, weight in zip(terms, weights, strict=True) if abs(weight) > 1e-6]
    return tuple(name for name in named if name != INTERCEPT) or tuple(named)


def corners(term: Term, references: Mapping[str, str], partners: frozenset[str]) -> list[dict[str, str]]:
    """The combinations of levels whose log odds a coefficient is a difference of.

    Args:
        term: of one factor: its level and its reference; of several: every mix of the two.
        references: of every factor.
        partners: factors that the term's meet in interactions; they are at their references here.
    """
    fixed = {factor: references[factor] for factor in partners if factor not in term.factors}
    pairs = zip(term.levels, term.references, strict=True)
    return [fixed | dict(zip(term.factors, mixed, strict=True)) for mixed in product(*pairs)]

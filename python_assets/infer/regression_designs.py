"""What the regressions of a study are of, once its prompts and generations are known.

Belongs here: which levels a factor has, in which order, and which of them is the reference.
"""

from collections.abc import Mapping
from typing import NamedTuple

import duckdb

from python_assets.infer.factor_tests import Design
from python_assets.study.analysis import Regression
from python_assets.study.factors import OF_GENERATIONS
from python_assets.study.problems import listed

_LEVELS = "select factor, level from raw.factor_levels order by factor, level_position"
_OF_GENERATIONS = "select distinct factor, level from raw.generation_factors order by factor, level"
_FACTORS = "select factor, factor_type, reference_level from raw.factors"


class RegressionFactors(NamedTuple):
    """The factors of a regression, as its design has them, and those of them that generations have."""

    design: Design
    of_models: tuple[str, ...]

    @property
    def of_prompts(self) -> tuple[str, ...]:
        """Those that prompts have, in order."""
        return tuple(name for name in self.design.references if name not in self.of_models)


def regression_factors(
    connection: duckdb.DuckDBPyConnection, regressions: Mapping[str, Regression], scope: str
) -> dict[str, RegressionFactors]:
    """Read levels and references of the factors of every regression.

    Args:
        connection: to a build file with the design and the factors of generations.
        regressions: as declared.
        scope: what clusters are draws of.

    Returns:
        By regression. The reference is the one that stands there, else the factor's, else its first level.
    """
    known = {name: (kind, reference) for name, kind, reference in connection.execute(_FACTORS).fetchall()}
    # a prompt has a template, and so has a generation: the prompt's is meant where it has one
    of_models = {name for name, (kind, _) in known.items() if kind == "model"} | {*OF_GENERATIONS} - set(
        known
    )
    levels: dict[str, list[str]] = {}
    for factor, level in connection.execute(_LEVELS).fetchall():
        levels.setdefault(factor, []).append(level)
    for factor, level in connection.execute(_OF_GENERATIONS).fetchall():
        if factor in of_models and level not in levels.setdefault(factor, []):
            levels[factor].append(level)
    found = {}
    for name, regression in regressions.items():
        order = {factor: levels.get(factor, []) for factor in regression.declared_references}
        references = {
            factor: reference or known.get(factor, ("", None))[1] or next(iter(order[factor]), "")
            for factor, reference in regression.declared_references.items()
        }
        design = Design(references, [tuple(one) for one in regression.interactions], order, scope)
        found[name] = RegressionFactors(design, tuple(factor for factor in references if factor in of_models))
    return found


def absent_references(factors: RegressionFactors) -> list[str]:
    """Why references of a regression cannot be: no prompt, or no generation, has them."""
    return [
        f"{name} {reference!r}; its levels are {listed(factors.design.order[name])}"
        for name, reference in factors.design.references.items()
        if reference not in factors.design.order[name]
    ]

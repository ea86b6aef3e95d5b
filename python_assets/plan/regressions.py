"""The regressions of a study as raw tables, and what a plan tells of them.

Belongs here: which factors prompts have, and that references and slices are there once prompts are known.
Fitting is infer/infer_regressions.py.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

import duckdb
import pandas as pd

from python_assets.errors import SourceError
from python_assets.infer.regressions.coding import RegressionDesign, regression_designs
from python_assets.plan.text import PlannedRegression
from python_assets.study.factors import OF_SYSTEMS, study_factors
from python_assets.study.problems import listed, unknown_name
from python_assets.study.study import Study, make_id
from python_assets.warehouse.raw_tables import columns_of


def regression_tables(study: Study) -> dict[str, pd.DataFrame]:
    """Rows without study_id of raw.regressions and raw.regression_sets."""
    prompt_factors = {
        name: _of_prompts(study, list(one.declared_references)) for name, one in study.regressions.items()
    }
    regressions = [
        (name, one.slice, make_id(one.measure), len(prompt_factors[name])) for name, one in study.regressions.items()
    ]
    sets = [
        (name, factor, position) for name, factors in prompt_factors.items() for position, factor in enumerate(factors)
    ]
    rows: dict[str, Sequence[tuple[object, ...]]] = {"regressions": regressions, "regression_sets": sets}
    return {table: pd.DataFrame(table_rows, columns=columns_of(table)) for table, table_rows in rows.items()}


def _of_prompts(study: Study, factors: list[str]) -> list[str]:
    """Those that prompts have levels of."""
    known = study_factors(study)
    return [name for name in factors if name in known and known[name].type != "model"]


def check_regressions(study: Study, levels: Mapping[str, Sequence[str]], slices: Collection[str]) -> None:
    """Slices are there, and factors of prompts have their reference and another level.

    Raises:
        SourceError: no prompt has a reference, or all prompts have one level.
        StudyError: a slice is not there.
    """
    for name, regression in study.regressions.items():
        field = (study.path, "analysis", "regressions", name)
        if regression.slice not in slices:
            where, remedy = (*field, "slice"), "correct it, or declare it under slices"
            raise unknown_name(where, regression.slice, "a slice", slices, remedy)
        for factor in _of_prompts(study, list(regression.declared_references)):
            reference = regression.declared_references[factor]
            if len(levels[factor]) < 2:
                got, expected = f"prompts with {factor} {listed(levels[factor])} alone", "two levels or more"
                raise SourceError((*field, "factors", factor), got, expected, "take it out")
            if reference is not None and reference not in levels[factor]:
                got = f"no prompt with the reference {reference!r}"
                expected = f"a level of the prompts: {listed(levels[factor])}"
                raise SourceError((*field, "factors", factor), got, expected, "correct it")


def planned_regressions(study: Study, connection: duckdb.DuckDBPyConnection) -> list[PlannedRegression]:
    """What each regression is of: terms, references, and which generations it is fitted to."""
    designs = regression_designs(connection, study.regressions)
    return [
        PlannedRegression(
            regression_id=name,
            measure_id=make_id(study.regressions[name].measure),
            slice_id=study.regressions[name].slice,
            factors=", ".join(f"{one} ({level})" for one, level in design.references.items()),
            interactions=", ".join(" x ".join(one) for one in design.interactions) or "-",
            n_coefficients=_n_coefficients(design),
            fitted_to=_fitted_to(study.regressions[name].systems, design),
        )
        for name, design in designs.items()
    ]


def regression_warnings(study: Study, connection: duckdb.DuckDBPyConnection) -> Iterator[str]:
    """References that no generation has, and generations that are not there."""
    there = {one for (one,) in connection.execute("select system_id from raw.system_factors").fetchall()}
    for name, regression in study.regressions.items():
        for system in regression.systems or ():
            if make_id(system) not in there:
                known = listed(sorted(there))
                yield f"analysis.regressions.{name}: no generation is {system!r}; there are {known}"
    for name, design in regression_designs(connection, study.regressions).items():
        for factor, reference in design.references.items():
            if reference not in design.order[factor]:
                levels = listed(design.order[factor])
                yield f"analysis.regressions.{name}: no {factor} {reference!r}; its levels are {levels}"


def regression_references(study: Study) -> set[str]:
    """The factors whose declared reference a regression takes."""
    known = {*study_factors(study), *OF_SYSTEMS}
    return {
        factor
        for regression in study.regressions.values()
        for factor, reference in regression.declared_references.items()
        if reference is None and factor in known
    }


def _n_coefficients(design: RegressionDesign) -> int:
    """The intercept and a column for each level but the reference, and for their products."""
    n_levels = {name: len(order) - 1 for name, order in design.order.items()}
    total = 1 + sum(n_levels.values())
    for interaction in design.interactions:
        product = 1
        for name in interaction:
            product *= n_levels[name]
        total += product
    return total


def _fitted_to(systems: list[str] | None, design: RegressionDesign) -> str:
    chosen = "every generation" if systems is None else listed(map(make_id, systems))
    return f"{chosen} together" if design.of_models else f"{chosen}, each by itself"

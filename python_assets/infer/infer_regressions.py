"""Which factors matter: every regression of a study, fitted and written.

Belongs here: reading the sums that SQL made, one regression a generation or of all together, the set of
questions that their factors are, and writing the rows. Fitting and testing are factor_importance.py.

Source: inference.md 11 and 6.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

import duckdb
import numpy as np
import pandas as pd

from python_assets.errors import StudyError
from python_assets.infer.design import PROMPTS_LIKE_THESE, UNITS_LIKE_THESE
from python_assets.infer.factor_importance import Importance, Responses, factor_importance, nothing_fitted
from python_assets.infer.multiplicity import question_levels
from python_assets.infer.permutation import Floats, stable_seed
from python_assets.infer.reasons import InferenceReason
from python_assets.infer.regression_designs import RegressionFactors, regression_factors
from python_assets.infer.scheme import Options, Settings
from python_assets.infer.treatment_coding import INTERCEPT
from python_assets.infer.write_tables import Columns, write_tables
from python_assets.study.analysis import Regression
from python_assets.study.base import LEVEL_SEPARATOR
from python_assets.study.problems import listed
from python_assets.study.study import make_id

EFFECTS: Final = "effects"
EVERY_GENERATION: Final = "all"
RISK: Final = "risk"
PROTECTIVE: Final = "protective"
NEITHER: Final = "none"
_KEYS = ["regression_id", "slice_id", "generation_id", "measure_id"]
_TESTED = {"p_value": "double", "q_value": "double", "method": "varchar"}
_REASONS = {"reason": "varchar", "inference_reason": "varchar"}
TABLES: Final[Columns] = {
    "factor_importance": {
        **dict.fromkeys(["study_id", *_KEYS, "factor", "level", "reference"], "varchar not null"),
        **dict.fromkeys(["coefficient", "std_error", "std_error_model", "odds_ratio"], "double"),
        **dict.fromkeys(["probability_at_reference", "ci_low", "ci_high", "df"], "double"),
        **_TESTED,
        "role": "varchar not null",
        **dict.fromkeys(["n_responses", "n_clusters", "n_clusters_level"], "bigint"),
        "scope": "varchar",
        "aliased_with": "varchar",
        **_REASONS,
    },
    "factor_models": {
        **dict.fromkeys(["study_id", *_KEYS, "factor"], "varchar not null"),
        **dict.fromkeys(["n_responses", "n_events", "n_clusters", "n_coefficients"], "bigint"),
        **dict.fromkeys(["deviance", "deviance_drop", "p_value_permutation", "mcfadden_r2"], "double"),
        **dict.fromkeys(["converged", "separated"], "boolean"),
        **_TESTED,
        "set_id": "varchar",
        "n_questions": "bigint",
        **_REASONS,
    },
}
_MEASURES = "select measure_id, direction from raw.measures"
_REGRESSION = (
    "select study_id, regression_id, slice_id, measure_id from raw.regressions where regression_id = ?"
)
_SUMS = "from intermediate.int_regression_sums where regression_id = ? order by all"
_GENERATION_FACTORS = "select generation_id, factor, level from raw.generation_factors"


class Analysis(Settings, Protocol):
    """What a study declares."""

    @property
    def regressions(self) -> Mapping[str, Regression]:
        """The regressions, by name."""


class RegressionCounts(NamedTuple):
    """Rows written, and how many effects have a p."""

    n_models: int
    n_terms: int
    n_tested: int


def infer_regressions(connection: duckdb.DuckDBPyConnection, analysis: Analysis) -> RegressionCounts:
    """Read the sums of every regression and write inference.factor_importance and inference.factor_models.

    Args:
        connection: to the build file of one study, after dbt has made schema intermediate.
        analysis: what the study declares.

    Returns:
        How many rows came of it.
    """
    terms: list[pd.DataFrame] = []
    models: list[pd.DataFrame] = []
    for keys, found in _importances(connection, analysis):
        terms.append(pd.DataFrame(found.terms).assign(**keys))
        models.append(pd.DataFrame(found.models).assign(**keys))
    tables = {}
    if models:
        directions = dict(connection.execute(_MEASURES).fetchall())
        tables = _judged(_stacked(terms), _stacked(models), directions, analysis.alpha)
    write_tables(connection, TABLES, tables)
    n_tested = int(tables["factor_models"].p_value.notna().sum()) if tables else 0
    return RegressionCounts(len(models), sum(map(len, terms)), n_tested)


def _importances(
    connection: duckdb.DuckDBPyConnection, analysis: Analysis
) -> Iterator[tuple[dict[str, str], Importance]]:
    """Every regression of every generation, with its keys."""
    for name, factors in regression_factors(connection, analysis.regressions, PROMPTS_LIKE_THESE).items():
        sums = connection.execute(_SUMS, [name]).df()
        options = Options(
            seed=stable_seed(analysis.seed, name),
            n_permutations=analysis.n_permutations,
            n_bootstrap=analysis.n_bootstrap,
            alpha=analysis.alpha,
            margins={},
            references={},
            contrasts=(),
        )
        sums = _chosen(name, analysis.regressions[name].generations, sums)
        sums = _with_levels(sums, factors, connection)
        keys = _keys(connection, name)
        if not len(sums):  # the measure was not observed
            nothing = nothing_fitted(factors.design, InferenceReason.NO_VALUES, {"n_responses": 0})
            yield keys | {"generation_id": EVERY_GENERATION}, nothing
        for generation_id, of_one in _parts(sums, pooled=bool(factors.of_models)):
            design = factors.design
            if not of_one.unit_is_root_prompt.all():
                design = design._replace(scope=UNITS_LIKE_THESE)
            found = factor_importance(_responses(of_one, list(design.references)), design, options)
            yield keys | {"generation_id": generation_id}, found


def _keys(connection: duckdb.DuckDBPyConnection, name: str) -> dict[str, str]:
    """What every row of a regression shares."""
    (row,) = connection.execute(_REGRESSION, [name]).fetchall()
    return dict(zip(("study_id", "regression_id", "slice_id", "measure_id"), map(str, row), strict=True))


def _chosen(name: str, generations: Sequence[str] | None, sums: pd.DataFrame) -> pd.DataFrame:
    """The sums of the generations that a regression names.

    Raises:
        StudyError: one of them answered nothing, or is not there.
    """
    if generations is None:
        return sums
    there = sorted(sums.generation_id.unique())
    for index, generation in enumerate(generations):
        if make_id(generation) not in there:
            raise StudyError(
                f"analysis.regressions.{name}.generations[{index}]: got {generation!r}; expected one of the "
                f"generations with responses, {listed(there)}. Correct it, or take it out"
            )
    return sums[sums.generation_id.isin(list(map(make_id, generations)))]


def _with_levels(
    sums: pd.DataFrame, factors: RegressionFactors, connection: duckdb.DuckDBPyConnection
) -> pd.DataFrame:
    """Sums with a column a factor; a generation that lacks a level of one is left out."""
    of_prompts = sums.group_id.str.split(LEVEL_SEPARATOR, expand=True)
    of_prompts = of_prompts.reindex(columns=range(len(factors.of_prompts)))  # no column of no row
    sums = sums.assign(**{name: of_prompts[place] for place, name in enumerate(factors.of_prompts)})
    known = connection.execute(_GENERATION_FACTORS).df()
    for name in factors.of_models:
        of_one = known[known.factor == name].set_index("generation_id").level
        sums = sums.assign(**{name: sums.generation_id.map(of_one)})
    return sums.dropna(subset=list(factors.of_models))


def _parts(sums: pd.DataFrame, *, pooled: bool) -> Iterator[tuple[str, pd.DataFrame]]:
    if pooled and len(sums):
        yield EVERY_GENERATION, sums
    else:
        yield from ((str(name), part) for name, part in sums.groupby("generation_id", sort=True))


def _responses(sums: pd.DataFrame, factors: list[str]) -> Responses:
    """One row a unit and levels of all factors."""
    added = sums.groupby(["unit_id", *factors], sort=True)[["n_responses", "n_events"]].sum().reset_index()
    return Responses(
        added[factors],
        pd.factorize(added.unit_id)[0],
        added.n_responses.to_numpy(dtype=float),
        added.n_events.to_numpy(dtype=float),
    )


def _stacked(parts: list[pd.DataFrame]) -> pd.DataFrame:
    """All rows, with every column of a table that some of them may lack."""
    columns = [*(name for table in TABLES.values() for name in table), "p_holm"]
    return pd.DataFrame(
        [row for part in parts for row in part.to_dict("records")], columns=list(dict.fromkeys(columns))
    )


def _judged(
    terms: pd.DataFrame, models: pd.DataFrame, directions: Mapping[str, str], alpha: float
) -> dict[str, pd.DataFrame]:
    """Tables with q and roles: the factors of all regressions are one set.

    Source: inference.md 6.4.
    """
    place = [*_KEYS, "factor"]
    number = pd.MultiIndex.from_frame(models[place]).get_indexer(pd.MultiIndex.from_frame(terms[place]))
    p_joint, p_holm = (_floats(column) for column in (models.p_value, terms.p_holm))
    is_level = terms.factor.to_numpy() != INTERCEPT
    levels = question_levels(p_joint, p_holm[is_level], number[is_level])
    q_level = np.full(len(terms), np.nan)
    q_level[is_level] = levels.of_group
    has_p = ~np.isnan(p_joint)
    models = models.assign(
        q_value=levels.of_question,
        set_id=models.factor.map(lambda factor: EFFECTS if factor else None),
        n_questions=np.where(models.factor != "", has_p.sum(), np.nan),
    )
    roles = _roles(_floats(terms.coefficient), q_level, terms.measure_id.map(directions).to_numpy(), alpha)
    return {"factor_importance": terms.assign(q_value=q_level, role=roles), "factor_models": models}


def _floats(column: pd.Series) -> Floats:
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _roles(coefficient: Floats, q_level: Floats, direction: np.ndarray, alpha: float) -> np.ndarray:
    """Whether a level makes the worse answer likelier: a 1, but for measures whose 1 is the better one."""
    worse = np.where(direction == "higher_better", -coefficient, coefficient)
    called = q_level <= alpha
    return np.select([called & (worse > 0), called & (worse < 0)], [RISK, PROTECTIVE], NEITHER)

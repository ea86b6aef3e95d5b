"""Which factors matter: every regression of a study, fitted and written.

Belongs here: reading the sums that SQL made, one regression a generation or of all together, the set of questions that
their factors are, and writing the rows. Fitting and testing are factor_importance.py.

Source: inference.md 11 and 6.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.design.mixed_scorers import mixed_factors
from python_assets.infer.draws.exchange import stable_seed
from python_assets.infer.formulas.multiplicity import hypothesis_levels
from python_assets.infer.options import options_of
from python_assets.infer.regressions.coding import INTERCEPT, RegressionDesign, regression_designs
from python_assets.infer.regressions.factor_importance import (
    ClusterResponses,
    Importance,
    factor_importance,
    nothing_fitted,
)
from python_assets.infer.result import Bools, InferenceReason, first_of
from python_assets.infer.tables import Columns, write_tables
from python_assets.study.base import ALL_SYSTEMS, LEVEL_SEPARATOR, parts_of
from python_assets.study.problems import unknown_name
from python_assets.study.study import Study, make_id

_EFFECTS: Final = "effects"
_KEYS = ["regression_id", "slice_id", "system_id", "measure_id"]
_TESTED = {"p_value": "double", "q_value": "double", "method": "varchar"}
_REASONS = {"reason": "varchar", "inference_reason": "varchar"}
REGRESSION_TABLES: Final[Columns] = {
    "factor_importance": {
        **dict.fromkeys(["study_id", *_KEYS, "factor", "level", "reference"], "varchar not null"),
        **dict.fromkeys(["coefficient", "std_error", "std_error_model", "odds_ratio"], "double"),
        **dict.fromkeys(["probability_at_reference", "ci_low", "ci_high", "df"], "double"),
        **_TESTED,
        "role": "varchar not null",
        **dict.fromkeys(["n_responses", "n_clusters", "n_clusters_level"], "bigint"),
        **dict.fromkeys(["scope", "aliased_with"], "varchar"),
        **_REASONS,
    },
    "factor_models": {
        **dict.fromkeys(["study_id", *_KEYS, "factor"], "varchar not null"),
        **dict.fromkeys(["n_responses", "n_events", "n_clusters", "n_coefficients"], "bigint"),
        **dict.fromkeys(["deviance", "deviance_drop", "p_value_permutation", "mcfadden_r2"], "double"),
        **dict.fromkeys(["converged", "separated"], "boolean"),
        **_TESTED,
        "family_id": "varchar",
        "n_hypotheses": "bigint",
        **_REASONS,
    },
}
_MEASURES = "select measure_id, direction from raw.measures"
_REGRESSIONS = "select study_id, regression_id, slice_id, measure_id from raw.regressions"
_GROUPINGS = "select distinct grouping_id from raw.groupings order by all"
_SUMS = "from intermediate.int_regression_sums where regression_id = ? order by all"
_SYSTEM_FACTORS = "select system_id, factor, level from raw.system_factors"


class RegressionCounts(NamedTuple):
    """Rows written, and how many effects have a p."""

    n_models: int
    n_terms: int
    n_tested: int


def infer_regressions(
    connection: duckdb.DuckDBPyConnection, study: Study, level: float | None = None
) -> RegressionCounts:
    """Read the sums of every regression and write inference.factor_importance and inference.factor_models.

    Args:
        connection: to the build file of one study, after SQL has made schema intermediate.
        study: what it declares.
        level: of the look that is taken, which roles and intervals are of; alpha where None.

    Returns:
        How many rows came of it.
    """
    return judge_regressions(connection, study, [fit_regressions(connection, study, level=level)], level)


def fit_regressions(
    connection: duckdb.DuckDBPyConnection,
    study: Study,
    measures: Collection[str] | None = None,
    level: float | None = None,
) -> Importance:
    """Fit the regressions of some measures.

    Args:
        connection: as infer_regressions has it; it is only read.
        study: what it declares.
        measures: by measure_id; all of them where None.
        level: of infer_regressions.

    Returns:
        Every column of the tables but those of judge_regressions, and p_holm of terms.
    """
    declared = connection.execute(_REGRESSIONS).df().set_index("regression_id", drop=False)
    fits = []
    for name, design in regression_designs(connection, study.regressions).items():
        keys = {str(key): value for key, value in declared.loc[name].items()}
        if measures is None or keys["measure_id"] in measures:
            for system_id, one in _fitted(connection, study, name, design, str(keys["measure_id"]), level=level):
                fits.append(Importance(*(rows.assign(**keys, system_id=system_id) for rows in one)))
    return _stacked(fits)


def _fitted(
    connection: duckdb.DuckDBPyConnection,
    study: Study,
    name: str,
    design: RegressionDesign,
    measure_id: str,
    level: float | None,
) -> Iterator[tuple[str, Importance]]:
    """A regression of every generation, or of all of them together."""
    options = options_of(study, level)._replace(seed=stable_seed(study.seed, name))
    sums = _of_systems(name, study.regressions[name].systems, connection.execute(_SUMS, [name]).df())
    prompt_levels = sums.group_id.str.split(LEVEL_SEPARATOR, expand=True)
    prompt_levels = prompt_levels.reindex(columns=range(len(design.of_prompts)))  # no column of no row
    sums = sums.assign(**{factor: prompt_levels[at] for at, factor in enumerate(design.of_prompts)})
    known = connection.execute(_SYSTEM_FACTORS).df()
    for factor in design.of_models:
        level_of_system = known[known.factor == factor].set_index("system_id").level
        sums = sums.assign(**{factor: sums.system_id.map(level_of_system)})
    sums = sums.dropna(subset=list(design.of_models))  # a generation that lacks a level
    if not len(sums):  # the measure was not observed
        yield ALL_SYSTEMS, nothing_fitted(design, InferenceReason.NO_VALUES, {"n_responses": 0})
        return
    factors, counts, mixed = list(design.references), ["n_responses", "n_events"], mixed_factors(connection)
    for system_id, system_sums in [(ALL_SYSTEMS, sums)] if design.of_models else sums.groupby("system_id"):
        if {(str(system_id), measure_id, factor) for factor in factors} & mixed:
            counts_of_all = {"n_responses": int(system_sums.n_responses.sum())}
            yield str(system_id), nothing_fitted(design, InferenceReason.SCORER_DIFFERS, counts_of_all)
            continue
        added = system_sums.groupby(["unit_id", *factors], sort=True)[counts].sum().reset_index()
        n, k = (added[count].to_numpy(dtype=float) for count in counts)
        system_design = design._replace(has_units=not system_sums.unit_is_root_prompt.all())
        responses = ClusterResponses(added[factors], pd.factorize(added.unit_id)[0], n, k)
        yield str(system_id), factor_importance(responses, system_design, options)


def _of_systems(name: str, systems: Sequence[str] | None, sums: pd.DataFrame) -> pd.DataFrame:
    """The sums of the generations that a regression names.

    Raises:
        StudyError: one of them answered nothing, or is not there.
    """
    if systems is None:
        return sums
    answered = sorted(sums.system_id.unique())
    for index, system in enumerate(systems):
        if make_id(system) not in answered:
            where = ("analysis", "regressions", name, "systems", index)
            kind = "a generation with responses"
            raise unknown_name(where, system, kind, answered, "correct it, or take it out")
    return sums[sums.system_id.isin(list(map(make_id, systems)))]


def _stacked(parts: Sequence[Importance]) -> Importance:
    """All rows, with every column of their table that some of them may lack."""
    columns = ([*REGRESSION_TABLES["factor_importance"], "p_holm"], [*REGRESSION_TABLES["factor_models"]])
    rows = ([row for importance in parts for row in importance[at].to_dict("records")] for at in range(2))
    return Importance(*(pd.DataFrame(table_rows, columns=of) for table_rows, of in zip(rows, columns, strict=True)))


def judge_regressions(
    connection: duckdb.DuckDBPyConnection, study: Study, parts: Sequence[Importance], level: float | None = None
) -> RegressionCounts:
    """Give the rows of all parts q and roles, and write them: the factors of all regressions are one set.

    Args:
        connection: as infer_regressions has it.
        study: what it declares.
        parts: of fit_regressions, whose measures are all of the study.
        level: of infer_regressions.

    Source: inference.md 6.4.
    """
    terms, models = _stacked(parts)
    keys = [*_KEYS, "factor"]
    number = pd.MultiIndex.from_frame(models[keys]).get_indexer(pd.MultiIndex.from_frame(terms[keys]))
    numbers = (models.p_value, terms.p_holm, terms.coefficient)
    p_joint, p_holm, coefficient = (column.to_numpy(dtype=np.float64, na_value=np.nan) for column in numbers)
    declared = [name for (name,) in connection.execute(_GROUPINGS).fetchall()]
    is_asked, is_asked_of_term = (_is_crossing(rows.factor, declared) for rows in (models, terms))
    p_joint = np.where(is_asked, np.nan, p_joint)
    is_level = (terms.factor != INTERCEPT).to_numpy(dtype=bool)
    levels = hypothesis_levels(p_joint, p_holm[is_level], number[is_level])
    q_level = np.full(len(terms), np.nan)
    q_level[is_level] = levels.of_group
    is_effect, n_tested = (models.factor != "").to_numpy(dtype=bool) & ~is_asked, int((~np.isnan(p_joint)).sum())
    # whether a level makes the worse answer likelier: a 1, but for measures whose 1 is the better one
    directions = terms.measure_id.map(dict(connection.execute(_MEASURES).fetchall()))
    worse = np.where(directions == "higher_better", -coefficient, coefficient)
    is_significant = q_level <= (study.alpha if level is None else level)
    role = np.select([is_significant & (worse > 0), is_significant & (worse < 0)], ["risk", "protective"], "none")
    tables = {
        "factor_importance": _told_by_crossing(terms, is_asked_of_term).assign(q_value=q_level, role=role),
        "factor_models": _told_by_crossing(models, is_asked).assign(
            q_value=levels.of_hypothesis,
            family_id=first_of([is_effect], [_EFFECTS]),
            n_hypotheses=np.where(is_effect, n_tested, np.nan),
        ),
    }
    write_tables(connection, REGRESSION_TABLES, tables)
    return RegressionCounts(int((models.factor == "").sum()), len(terms), n_tested)


def _is_crossing(factors: pd.Series, declared: Sequence[str]) -> Bools:
    """Whether what factors do together is the question of a grouping that joins them, some of which are one."""
    crossings = [set(name.split(LEVEL_SEPARATOR)) for name in declared if parts_of(name, declared)]
    return np.array([set(str(name).split(LEVEL_SEPARATOR)) in crossings for name in factors], dtype=bool)


def _told_by_crossing(rows: pd.DataFrame, is_asked: Bools) -> pd.DataFrame:
    """Rows whose effect is asked elsewhere keep p, to be read, and are in no set."""
    has_p = is_asked & rows.p_value.notna().to_numpy()
    return rows.assign(inference_reason=rows.inference_reason.mask(has_p, str(InferenceReason.TOLD_BY_CROSSING)))

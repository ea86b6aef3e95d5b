"""The stage of regressions on a build file: what is read, and that parts make the whole."""

from itertools import product
from typing import NamedTuple

import duckdb
import numpy as np
import pandas as pd
import pytest

from python_assets.infer.regressions.infer_regressions import (
    RegressionCounts,
    fit_regressions,
    infer_regressions,
    judge_regressions,
)
from python_assets.study.analysis import Regression
from python_assets.study.base import Against

TABLES = ("factor_importance", "factor_models")
LEVELS = {"race": ("a", "b"), "style": ("plain", "polite", "rude")}
N_UNITS = 12
MEASURES = {"refused": "refusal", "asked": "helpful", "both": "refusal", "unseen": "nothing"}


class Declared(NamedTuple):
    seed: int = 1
    n_permutations: int = 199
    n_bootstrap: int = 200
    alpha: float = 0.1
    margins: dict[str, float] = {}
    references: dict[str, tuple[Against, str | None]] = {}
    requested_contrasts: tuple[str, ...] = ()
    fills_scale: bool = False
    regressions: dict[str, Regression] = {
        "refused": Regression(measure="refusal", factors=["race", "style"]),
        "asked": Regression(measure="helpful", factors={"style": "rude"}),
        "both": Regression(measure="refusal", factors=["race", "system"]),
        "unseen": Regression(measure="nothing", factors=["race"]),
    }


def sums(name, factors, rng, effect):
    """Twenty responses of two generations to each unit and level; races are of whole units."""
    rows = [
        (name, system, f"u{unit}", levels)
        for system, unit in product(("g1", "g2"), range(N_UNITS))
        for levels in product(*(LEVELS[factor] for factor in factors))
        if "race" not in factors or levels[factors.index("race")] == "ab"[unit % 2]
    ]
    frame = pd.DataFrame(rows, columns=["regression_id", "system_id", "unit_id", "levels"])
    rate = 0.3 + effect * frame.levels.map(lambda levels: levels[-1] in ("b", "rude"))
    return frame.assign(
        group_id=frame.levels.map(" x ".join), n_responses=20, n_events=rng.binomial(20, rate), unit_is_root_prompt=True
    ).drop(columns="levels")


@pytest.fixture
def connection():
    """A build file of three regressions of two measures, and one of a measure that nobody answered."""
    rng = np.random.default_rng(6)
    of_prompts = {"refused": ("race", "style"), "asked": ("style",), "both": ("race",)}
    every = [sums(name, factors, rng, 0.3 * (name != "both")) for name, factors in of_prompts.items()]
    factor_levels = [(name, level, at) for name, levels in LEVELS.items() for at, level in enumerate(levels)]
    tables = {
        "raw.factors": pd.DataFrame([(name, "prompt", None) for name in LEVELS]),
        "raw.factor_levels": pd.DataFrame(factor_levels),
        "raw.system_factors": pd.DataFrame([(name, "system", name) for name in ("g1", "g2")]),
        "raw.measures": pd.DataFrame([("refusal", "lower_better"), ("helpful", "higher_better"), ("nothing", "none")]),
        "raw.regressions": pd.DataFrame([("s", name, "all", measure) for name, measure in MEASURES.items()]),
        "raw.systems": pd.DataFrame([("g1", False), ("g2", False)]),
        "raw.groupings": pd.DataFrame([("race", "race"), ("style", "style")]),
        "raw.prompt_factors": pd.DataFrame([(f"p{at}", "style", ("plain", "rude")[at % 2]) for at in range(40)]),
        "raw.measurements": pd.DataFrame([("g1", "refusal", f"p{at}", "rules", None) for at in range(40)]),
        "intermediate.int_regression_sums": pd.concat(every),
    }
    columns = {
        "raw.factors": ["factor", "factor_type", "reference_level"],
        "raw.factor_levels": ["factor", "level", "level_position"],
        "raw.system_factors": ["system_id", "factor", "level"],
        "raw.measures": ["measure_id", "direction"],
        "raw.regressions": ["study_id", "regression_id", "slice_id", "measure_id"],
        "raw.systems": ["system_id", "is_baseline"],
        "raw.groupings": ["grouping_id", "factor"],
        "raw.prompt_factors": ["prompt_id", "factor", "level"],
        "raw.measurements": ["system_id", "measure_id", "prompt_id", "scorer_version", "reason"],
    }
    connection = duckdb.connect()
    connection.execute("create schema raw; create schema intermediate")
    for name, frame in tables.items():
        connection.register("frame", frame.set_axis(columns.get(name, frame.columns), axis=1))
        connection.execute(f"create table {name} as from frame")
        connection.unregister("frame")
    return connection


def written(connection):
    return {name: connection.execute(f"from inference.{name} order by all").df() for name in TABLES}


def test_parts_by_measure_are_the_whole(connection):
    counts = infer_regressions(connection, Declared())
    whole = written(connection)
    parts = [fit_regressions(connection, Declared(), [measure]) for measure in ("nothing", "helpful", "refusal")]
    assert [set(part.models.measure_id) for part in parts] == [{"nothing"}, {"helpful"}, {"refusal"}]
    assert judge_regressions(connection, Declared(), parts) == counts
    for name, frame in written(connection).items():
        pd.testing.assert_frame_equal(frame, whole[name], rtol=1e-12, atol=1e-12)


def test_factors_of_all_regressions_are_one_set(connection):
    counts = infer_regressions(connection, Declared())
    terms, models = (written(connection)[name] for name in TABLES)
    tested = models[models.p_value.notna()]
    assert set(tested.measure_id) == {"refusal", "helpful"}
    assert set(tested.n_hypotheses) == {len(tested)} == {counts.n_tested}
    assert (counts.n_models, counts.n_terms) == ((models.factor == "").sum(), len(terms)) == (6, len(terms))
    # the same odds are a risk where a 1 is the worse answer, and protect where it is the better one
    roles = terms[terms.q_value <= 0.05].set_index(["regression_id", "level"])
    assert set(roles.role["refused", "rude"]) == {"risk"} and (roles.coefficient["refused", "rude"] > 0).all()
    assert set(roles.role["asked", "plain"]) == {"risk"} and (roles.coefficient["asked", "plain"] < 0).all()


def test_a_factor_of_systems_pools_them_and_an_unanswered_measure_says_so(connection):
    infer_regressions(connection, Declared())
    terms, models = (written(connection)[name].set_index("regression_id") for name in TABLES)
    assert set(models.system_id["both"]) == {"all"} and set(models.factor["both"]) == {"", "race", "system"}
    assert set(models.system_id["refused"]) == {"g1", "g2"}
    assert set(models.reason.loc[["unseen"]]) == {terms.reason["unseen"]} == {"no_values"}


def test_levels_that_were_read_by_different_scorers_are_in_no_regression(connection):
    is_rude = "prompt_id in (select prompt_id from raw.prompt_factors where level = 'rude')"
    connection.execute(f"update raw.measurements set scorer_version = 'column' where {is_rude}")
    infer_regressions(connection, Declared())
    terms, models = (written(connection)[name] for name in TABLES)
    is_mixed = (models.system_id == "g1") & (models.measure_id == "refusal") & (models.regression_id == "refused")
    assert set(models.reason[is_mixed]) == {"scorer_differs"} and models.p_value[is_mixed].isna().all()
    assert (models.reason[~is_mixed] != "scorer_differs").all()
    assert set(terms.role[(terms.regression_id == "refused") & (terms.system_id == "g1")]) == {"none"}


def test_a_study_without_regressions_has_empty_tables(connection):
    assert infer_regressions(connection, Declared(regressions={})) == RegressionCounts(0, 0, 0)
    assert all(frame.empty for frame in written(connection).values())

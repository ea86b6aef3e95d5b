import json
from itertools import count

import duckdb
import numpy as np
import pandas as pd
import pytest

from bench.bench_looks import looked_at, normal
from bench.bench_studies import Studies
from python_assets.infer.formulas.looks import levels
from python_assets.infer.looks import asked_look, look_of, record_look, withhold
from python_assets.infer.run import infer_study
from python_assets.study.analysis import AnalysisSpec
from python_assets.study.base import Against
from python_assets.warehouse.build import Home
from python_assets.warehouse.looks import taken_looks
from tests.promises import seldom
from tests.python_assets.infer.test_run import analysis, rows

N_PROMPTS, SHARES = 60, [1 / 3, 2 / 3, 1]
PLAN = {
    "looks": 3,
    "study_id": "small",
    "has_stand_in": False,
    "config_json": json.dumps({"analysis": {"alpha": 0.05, "looks": 3}}),
    "n_permutations": 9_999,
    "analysis": AnalysisSpec(),
}


def passes(error):
    return error.startswith("timeout")


def cells(effects, seed=3):
    """Root prompts x 4 groups, the first of which has an effect of its own in each third of the prompts."""
    x = np.random.default_rng(seed).normal(size=(N_PROMPTS, 4))
    x[:, 0] += np.repeat(effects, N_PROMPTS // 3)
    return x


def build(study, x, look, *, errors=()):
    """A build file of the prompts of looks up to one, with the tables that tell of looks."""
    n = round(SHARES[look - 1] * len(x))
    connection = study.add("tone", x[:n]).add("still", np.random.default_rng(8).normal(size=(n, 4))).write()
    prompts = [f"p{root}" for root in range(n)]
    tables = {
        "looks": pd.DataFrame(
            {
                "look": [1, 2, 3],
                "n_root_prompts": [round(share * len(x)) for share in SHARES],
                "share": SHARES,
                "is_asked": [number <= look for number in (1, 2, 3)],
                "prompts_sha256": "all",
            }
        ),
        "prompts": pd.DataFrame({"prompt_id": prompts, "unit_id": [f"u{root}" for root in range(n)]}),
        "responses": pd.DataFrame(
            {
                "system_id": "model",
                "prompt_id": prompts,
                "replicate": 0,
                "status": "ok",
                "response_text": [f"{value:.6f}" for value in x[:n, 0]],
                "error": [*errors, *[None] * (n - len(errors))],
            }
        ),
        "measurements": pd.DataFrame(
            {
                **dict.fromkeys(("system_id", "prompt_id", "measure_id", "label", "reason", "scorer_version"), ""),
                "replicate": 0,
                "value": 0.0,
            },
            index=[0],
        )[:0],
    }
    for name, frame in tables.items():
        connection.register("frame", frame)
        connection.execute(f"create or replace table raw.{name} as select * from frame")
        connection.unregister("frame")
    return connection


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path)


@pytest.fixture
def take(study, home):
    """Take a look at cells; what is written of contrasts, by measure and group."""

    def taken(x, number, **options):
        study.values.clear()
        plan = analysis(**PLAN | options)
        connection = build(study, x, number)
        look = look_of(plan, connection, home, passes)
        infer_study(connection, plan, look=look)
        record_look(plan, connection, home, look)
        return connection, look

    return taken


def of_group(connection, group="g0", measure="tone"):
    return rows(connection, "contrasts", f"measure_id = '{measure}' and group_id = '{group}'").iloc[0]


def test_a_study_without_looks_has_one_at_alpha(study, home):
    connection = duckdb.connect()
    look = look_of(analysis(looks=None), connection, home, passes)
    assert (look.number, look.n, look.level, look.last_level, look.reason) == (1, 1, 0.05, 0.05, None)
    connection = study.add("tone", cells([1.0, 1.0, 1.0])).write()
    infer_study(connection, analysis())
    assert set(rows(connection, "hypotheses").significant_at_look) == {1}
    found = of_group(connection)
    assert found.value_at_call == found.value_cells


def test_what_a_look_calls_stays_significant_and_is_told_where_it_turns_round(take):
    connection, look = take(cells([3.0, 0.0, 0.0]), 1)
    assert (look.number, look.n) == (1, 3)
    assert look.level == pytest.approx(levels(SHARES, 0.05)[0], abs=1e-12)
    first = of_group(connection)
    assert (first.significant_at_look, first.verdict) == (1, "different")
    assert asked_look(connection) == 1
    # what comes later is as large the other way
    connection, look = take(cells([3.0, -3.2, 0.0]), 2)
    second = of_group(connection)
    assert look.level == pytest.approx(levels(SHARES, 0.05)[1], abs=1e-12)
    assert second.q_value > look.level
    assert (second.significant_at_look, second.verdict) == (1, "different")
    assert second.value_at_call == pytest.approx(first.value_cells)
    assert second.value_at_call > 0 > second.value_cells
    assert pd.isna(second.explained_by)
    hypothesis = rows(connection, "hypotheses", "measure_id = 'tone'").iloc[0]
    assert (hypothesis.significant_at_look, hypothesis.significance_level) == (1, look.level)
    # n rows that are called so far have intervals after selection
    assert second.ci_low_selected < second.value_cells < second.ci_high_selected
    nothing = rows(connection, "contrasts", "measure_id = 'still'")
    assert nothing.significant_at_look.isna().all()
    assert nothing.value_at_call.isna().all()


def test_groups_that_differ_because_of_another_one_are_told_as_such_at_every_look(take):
    strong = cells([8.0, 8.0, 8.0])
    connection, _ = take(strong, 2)
    assert len(rows(connection, "contrasts", "measure_id = 'tone' and explained_by = 'g0'")) > 0
    connection, _ = take(strong, 3)
    others = rows(
        connection, "contrasts", "measure_id = 'tone' and group_id <> 'g0' and significant_at_look is not null"
    )
    assert set(others.explained_by) == {"g0"}
    assert pd.isna(of_group(connection).explained_by)


def test_a_word_that_an_earlier_look_significant_holds_until_another_is_significant(take):
    margins = {"tone": {"mean_difference": 0.6}}
    connection, _ = take(cells([4.0, 0.0, 0.0]), 1, margins=margins)
    assert of_group(connection).verdict == "beyond_margin"
    connection, _ = take(cells([4.0, -2.0, 0.0]), 2, margins=margins)
    assert of_group(connection).verdict == "beyond_margin"


def test_a_look_that_is_skipped_leaves_its_level(take):
    take(cells([0.0, 0.0, 0.0]), 1)
    _, look = take(cells([0.0, 0.0, 0.0]), 3)
    assert look.level == pytest.approx(sum(levels(SHARES, 0.05)[1:]), abs=1e-12)
    assert look.last_level == pytest.approx(levels(SHARES, 0.05)[2], abs=1e-12)


def test_the_same_look_again_is_the_same(take, home):
    plan = analysis(**PLAN)
    before, _ = take(cells([3.0, 0.0, 0.0]), 1)
    again, look = take(cells([3.0, 0.0, 0.0]), 1)
    assert look.reason is None
    pd.testing.assert_frame_equal(rows(before, "contrasts"), rows(again, "contrasts"))
    assert [one.look for one in taken_looks(plan, home)] == [1]


@pytest.mark.parametrize(("number", "reason"), [(1, "between_looks"), (3, "looks_spent")])
def test_a_look_that_was_taken_with_other_answers_calls_nothing(take, home, number, reason):
    take(cells([0.0, 0.0, 0.0]), number)
    connection, look = take(cells([3.0, 3.0, 3.0]), number)
    assert look.reason == reason
    withhold(connection, ["hypotheses", "contrasts", "disparities", "summary_statistics"], look.reason)
    found = rows(connection, "contrasts", "measure_id = 'tone' and contrast = 'mean_difference'")
    assert found.value_cells.notna().all()
    for name in ("p_value", "p_value_maxt", "q_value", "ci_low", "ci_low_selected", "significant_at_look", "n_needed"):
        assert found[name].isna().all(), name
    assert set(found.verdict) == {"not_tested"}
    assert set(found.inference_reason) == {reason}
    assert rows(connection, "hypotheses").p_value.isna().all()
    assert rows(connection, "summary_statistics").ci_low.isna().all()
    assert len(taken_looks(analysis(**PLAN), home)) == 1


@pytest.mark.parametrize(
    ("errors", "reason"), [((), None), (("refused: no",), None), (("timeout: 60 s",), "between_looks")]
)
def test_answers_that_the_next_run_asks_again_leave_a_look_open(study, home, errors, reason):
    connection = build(study, cells([0.0, 0.0, 0.0]), 1, errors=errors)
    assert look_of(analysis(**PLAN), connection, home, passes).reason == reason


def test_prompts_without_an_answer_leave_a_look_open(study, home):
    connection = build(study, cells([0.0, 0.0, 0.0]), 1)
    connection.execute("delete from raw.responses where prompt_id = 'p0'")
    assert look_of(analysis(**PLAN), connection, home, passes).reason == "between_looks"


def test_n_needed_is_of_a_new_study_with_the_last_level(take):
    quiet = cells([0.0, 0.0, 0.0])
    options = {"margins": {"mean_difference": 0.15}, "references": {"gender": (Against.REST, None)}}
    connection, look = take(quiet, 3, **options)
    # all of alpha is left to the look that was taken alone, not to the last of a study like it
    assert look.level == pytest.approx(0.05)
    whole = rows(connection, "contrasts", "n_needed is not null")
    connection, once = take(quiet, 3, looks=None, **options)
    assert once.last_level == 0.05
    alone = rows(connection, "contrasts", "n_needed is not null")
    assert len(whole) == len(alone) > 0
    assert (whole.n_needed > alone.n_needed).all()


@pytest.mark.run
def test_five_looks_at_studies_without_bias_call_something_in_alpha_of_them():
    """Inference.md 6.8 has .035; at alpha each look it is .140."""
    studies, at_each = Studies(6, n_roots=50, n_groups=3), []

    def significant():
        for seed in count():
            found = looked_at(studies, normal(studies, 60, seed), 5, n_permutations=9_999, seed=seed)
            at_each.extend(found.any_false_each)
            yield from found.any_false

    assert seldom(significant())
    assert np.mean(at_each) > 0.05


@pytest.mark.run
def test_intervals_after_selection_hold_at_the_last_of_three_looks():
    studies, n = Studies(6, n_roots=30, n_groups=6, effects=(3.5,), n_true=2), 60
    found = looked_at(studies, normal(studies, n, 2), 3, n_permutations=9_999, seed=2)
    assert found.found.mean() > 0.3
    assert found.missed.mean() <= 0.05 + 2 * found.missed.std() / np.sqrt(n)

"""Which groups moved, against rounds that another program enumerated, and how often it is told wrongly."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from python_assets.infer.changes.measure_changes import MeasureChanges, SwappedRounds
from python_assets.infer.changes.swapped import mean_changes
from python_assets.infer.design.cells import Cells
from python_assets.infer.design.design import Frame
from python_assets.infer.draws.flips import Flips
from python_assets.infer.options import Options
from python_assets.infer.result import InferenceReason
from python_assets.infer.run import infer_study
from tests.python_assets.infer.changes.test_infer_changes import of, two
from tests.python_assets.infer.test_run import analysis, rows

GOLDEN = json.loads(Path(__file__).with_name("changes_golden.json").read_text())["cases"]
OPTIONS = Options(1, 1_024, 10, 0.05, {}, {}, ())
LIMITS = ("value_alone", "ci_low_alone", "ci_high_alone")


def close(expected):
    return pytest.approx(np.array(expected, dtype=float), abs=1e-9, nan_ok=True)


def changes_of(c, **options):
    """Complete cells of two generations whose change is c, shape (root prompts, groups)."""
    c = np.array(c, dtype=float)
    n, k = c.shape
    frame = Frame(np.repeat(np.arange(n), k), np.tile(np.arange(k), n), np.arange(n), k)
    x = np.column_stack([c.ravel(), np.zeros(n * k)])
    columns = pd.DataFrame({"is_unread": [False, False]})
    names = [f"g{group}" for group in range(k)]
    cells = Cells("all", "gender", columns, names, frame, x, np.ones(x.shape), has_several_prompts=False)

    def swaps(units):
        return Flips(7, 1_024, n, units)

    return MeasureChanges(cells, {"": (0, 1)}, "continuous", {}, swaps=swaps, options=OPTIONS, **options)


@pytest.fixture(params=GOLDEN)
def case(request):
    return GOLDEN[request.param]


def test_a_round_holds_the_groups_that_are_left_against_each_other(case):
    rounds = SwappedRounds(changes_of(case["change_of_cells"]))
    n_groups = len(case["first"]["value"])
    for expected in case["rounds"]:
        left = expected["groups"]
        without = [group for group in range(n_groups) if group not in left]
        tested, sized = rounds.tested(without), rounds.sized(without)
        assert sized.value[left] == close(expected["value"])
        assert np.abs(tested.studentised[left]) == close(expected["size"])
        assert np.nanmin(tested.p_maxt) == close(expected["p_of_largest"])
        assert np.isnan(np.delete(tested.p_maxt, left)).all()


def test_the_first_round_is_that_of_the_question(case):
    changes = changes_of(case["change_of_cells"])
    d, first = changes.changes_without([]), case["first"]
    signs = changes.signs
    assert signs.n == case["n_flips"]
    found = mean_changes(np.stack([d, 0 * d]), signs, 0.05).result
    assert found.p_question[0] == close(case["p_question"])
    assert found.value == close(first["value"])
    assert found.std_error == close(first["std_error"])
    assert found.p_maxt == close(first["p_maxt"])


def test_those_that_stand_and_everybody_against_those_that_stay(case):
    keys, moved = changes_of(case["change_of_cells"]).who_moved(lambda p: p <= 0.05)
    assert keys["group_id"].tolist() == [f"g{group}" for group in range(len(case["first"]["value"]))]
    assert sorted(moved.groups) == case["stand"]
    assert np.flatnonzero(moved.stands).tolist() == case["stand"]
    assert (moved.alone is not None) == case["majority_stays"]
    if moved.alone is not None:
        for name, found in zip(LIMITS, ("value", "ci_low", "ci_high"), strict=True):
            assert getattr(moved.alone, found) == close(case[name])


def test_a_study_tells_who_moved_and_who_is_beyond_the_margin(study, case):
    c = np.array(case["change_of_cells"])
    connection = two(study, c, 0 * c).write()
    margins = {"mean_difference": case["margin"]}
    infer_study(connection, analysis(n_permutations=1_024, margins=margins))
    found = of(rows(connection, "generation_comparisons"), "disparity_change").sort_values("group_id")
    assert found.value.to_numpy() == close(case["first"]["value"])
    for name in LIMITS:
        assert found[name].to_numpy(dtype=float) == close(case[name])
    assert (found.verdict == "bias_shown").tolist() == case["beyond"]
    assert (found.q_value <= 0.05).tolist() == case["called_at_first"]
    if case["majority_stays"]:
        called = np.array(case["called_at_first"])
        stands = np.isin(np.arange(len(c[0])), case["stand"])
        names = " | ".join(f"g{group}" for group in case["stand"])
        assert found.only_because_of.fillna("").tolist() == np.where(called & ~stands, names, "").tolist()
        assert found.value_without.notna().tolist() == (called & ~stands).tolist()
        assert (found.value_without.dropna() == found.value_alone[called & ~stands]).all()
        assert not found.verdict[~stands].isin(["bias_shown", "difference_shown"]).any()
        assert found.reason_alone.isna().all()
    else:
        assert set(found.reason_alone) == {"no_majority_stays"}
        assert found.only_because_of.isna().all()

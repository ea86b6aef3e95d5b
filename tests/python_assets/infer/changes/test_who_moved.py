"""Which groups moved, against rounds that another program enumerated, and how often it is told wrongly."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from bench import bench_who_moved
from bench.bench_who_moved import Design, changes_of
from python_assets.infer.changes.measure_changes import Exchanges
from python_assets.infer.changes.swapped import mean_changes
from python_assets.infer.draws.exchange import given_draws
from python_assets.infer.formulas.multiplicity import hypothesis_levels
from python_assets.infer.run import infer_study
from tests.promises import at_most, fewest, share
from tests.python_assets.infer.changes.test_infer_changes import of, two
from tests.python_assets.infer.conftest import all_arrangements
from tests.python_assets.infer.test_run import analysis, rows

GOLDEN = json.loads(Path(__file__).with_name("changes_golden.json").read_text())["cases"]
SKEWED = json.loads(Path(__file__).with_name("who_moved_golden.json").read_text())["cases"]
N_DRAWS = 1_024  # enough for every flip of the golden cases


def assert_outer(low, high, case):
    """Limits hold those of t, which the golden file has, and some are wider."""
    golden = [np.array(case[f"ci_{side}_alone"], dtype=float) for side in ("low", "high")]
    apart = np.array([golden[0] - np.array(low, dtype=float), np.array(high, dtype=float) - golden[1]])
    assert np.isnan(apart).all() or (np.nanmin(apart) >= -1e-9 and np.nanmax(apart) > 1e-6)


def close(expected):
    return pytest.approx(np.array(expected, dtype=float), abs=1e-9, nan_ok=True)


def by_both_tests(rounds, without):
    return rounds.tested_again(rounds.tested(without), without)


@pytest.fixture(params=GOLDEN)
def case(request):
    return GOLDEN[request.param]


def test_a_round_holds_the_groups_that_are_left_against_each_other(case):
    changes = changes_of(np.array(case["change_of_cells"]), n_draws=N_DRAWS)
    rounds = changes.rounds
    n_groups = len(case["first"]["value"])
    for expected in case["rounds"]:
        left = expected["groups"]
        without = [group for group in range(n_groups) if group not in left]
        tested, sized = by_both_tests(rounds, without), rounds.sized(without)
        assert sized.value[left] == close(expected["value"])
        assert np.abs(tested.studentised[left]) == close(expected["size"])
        d = changes.changes_without(without)
        swapped = mean_changes(np.stack([d, 0 * d]), changes.signs, 0.05).result  # the golden p is of swaps alone
        assert np.nanmin(swapped.p_maxt) == close(expected["p_of_largest"])
        assert (tested.p_maxt[left] >= swapped.p_maxt[left]).all()
        assert np.isnan(np.delete(tested.p_maxt, left)).all()


def test_the_first_round_is_that_of_the_hypothesis(case):
    changes = changes_of(np.array(case["change_of_cells"]), n_draws=N_DRAWS)
    d, first = changes.changes_without([]), case["first"]
    signs = changes.signs
    assert signs.n == case["n_flips"]
    found = mean_changes(np.stack([d, 0 * d]), signs, 0.05).result
    assert found.p_hypothesis[0] == close(case["p_hypothesis"])
    assert found.value == close(first["value"])
    assert found.std_error == close(first["std_error"])
    assert found.p_maxt == close(first["p_maxt"])


def test_those_that_stand_and_everybody_against_those_that_stay(case):
    keys, moved = changes_of(np.array(case["change_of_cells"]), n_draws=N_DRAWS).who_moved(lambda p: p <= 0.05)
    assert keys["group_id"].tolist() == [f"g{group}" for group in range(len(case["first"]["value"]))]
    # the golden rounds of two camps take out the largest t first, which ends with the other camp
    stand = case["stand"] if case["majority_stays"] else [0, 1]
    assert sorted(moved.groups) == stand
    assert np.flatnonzero(moved.differs_on_its_own).tolist() == stand
    assert (moved.alone is not None) == case["majority_stays"]
    if moved.alone is not None:
        assert moved.alone.value == close(case["value_alone"])
        # golden limits are of t alone
        half = stats.t.isf(0.025, len(case["change_of_cells"]) - 1) * moved.alone.std_error
        assert moved.alone.value + half == close(case["ci_high_alone"])
        assert_outer(moved.alone.ci_low, moved.alone.ci_high, case)


def test_a_study_tells_who_moved_and_who_is_beyond_the_margin(study, case):
    c = np.array(case["change_of_cells"])
    connection = two(study, c, 0 * c).write()
    margins = {"mean_difference": case["margin"]}
    infer_study(connection, analysis(n_permutations=1_024, margins=margins))
    found = of(rows(connection, "system_comparisons"), "disparity_change").sort_values("group_id")
    assert found.value.to_numpy() == close(case["first"]["value"])
    assert found.value_alone.to_numpy(dtype=float) == close(case["value_alone"])
    assert_outer(found.ci_low_alone, found.ci_high_alone, case)
    assert (found.verdict == "beyond_margin").tolist() == case["beyond"]
    # the golden p are of swaps alone, the larger of which and of shuffles calls fewer
    significant = (found.q_value <= 0.05).to_numpy()
    assert not (significant & ~np.array(case["significant_at_first"])).any() and significant[case["stand"]].all()
    if case["majority_stays"]:
        differs_on_its_own = np.isin(np.arange(len(c[0])), case["stand"])
        names = " | ".join(f"g{group}" for group in case["stand"])
        assert found.explained_by.fillna("").tolist() == np.where(significant & ~differs_on_its_own, names, "").tolist()
        assert found.value_without.notna().tolist() == (significant & ~differs_on_its_own).tolist()
        assert (found.value_without.dropna() == found.value_alone[significant & ~differs_on_its_own]).all()
        assert not found.verdict[~differs_on_its_own].isin(["beyond_margin", "different"]).any()
        assert found.reason_alone.isna().all()
    else:
        assert set(found.reason_alone) == {"no_majority_stays"}
        assert found.explained_by.isna().all()


def told(study, c, *, base=0.0, **options):
    """What a study says of the groups of two generations whose cells differ by c."""
    connection = two(study, c + base, np.zeros_like(c) + base).write()
    infer_study(connection, analysis(**options))
    return of(rows(connection, "system_comparisons"), "disparity_change").set_index("group_id").sort_index()


def noise(n, k, seed=4, sd=0.3):
    return np.random.default_rng(seed).normal(0, sd, (n, k))


def test_where_nothing_is_significant_everybody_stays(study):
    found = told(study, noise(12, 4))
    assert (found.q_value > 0.05).all()
    assert (found.value_alone == found.value).all()
    assert (found.ci_low_alone == found.ci_low).all() and (found.ci_high_alone == found.ci_high).all()
    assert found[["explained_by", "reason_alone", "value_without"]].isna().all(axis=None)
    assert set(found.verdict) == {"inconclusive"}


@pytest.mark.parametrize(
    ("n", "k", "reason"), [(12, 2, "no_majority_stays"), (5, 4, "too_few_root_prompts"), (6, 4, None)]
)
def test_of_two_groups_or_few_root_prompts_nobody_is_taken_out(study, n, k, reason):
    c = noise(n, k, sd=0.02)
    c[:, 0] += 3
    found = told(study, c, margins={"mean_difference": 0.2})
    assert set(found.reason_alone.dropna()) == ({reason} if reason else set())
    assert (found.value_alone.notna() == (reason is None)).all()
    # of 6 root prompts shuffles call the one that moved alone
    assert (found.q_value <= 0.05).tolist() == [True, *[reason is not None] * (k - 1)]
    assert set(found.verdict[1:]) == ({"beyond_margin"} if reason else {"equivalent"})
    assert found.verdict["g0"] == "beyond_margin"
    assert found.explained_by.isna().all()


def test_a_group_is_significant_at_the_level_of_the_whole_set(study):
    # alone the second mover would stand; among questions without any change it is not called
    c = noise(40, 5, seed=6, sd=1)
    c[:, 0] += 3
    c[:, 1] += 0.8
    alone = told(study, c, n_permutations=999)
    assert set(alone.index[alone.verdict == "different"]) == {"g0", "g1"}
    study = two(type(study)(), c, 0 * c)
    for seed in range(10):
        calm = noise(40, 5, seed=100 + seed, sd=1)
        study.add(f"calm{seed}", 0 * calm, system_id="old").add(f"calm{seed}", calm, system_id="new")
    connection = study.write()
    infer_study(connection, analysis(n_permutations=999))
    found = of(rows(connection, "system_comparisons", "measure_id = 'sentiment'"), "disparity_change")
    assert found.group_id[found.verdict == "different"].tolist() == ["g0"]


def test_rounds_keep_their_flips(study):
    changes = changes_of(noise(20, 4), n_draws=999)
    assert changes.signs is changes.signs
    first, again = (by_both_tests(changes.rounds, [0]) for _ in range(2))
    assert (first.p_maxt[1:] == again.p_maxt[1:]).all()


@pytest.mark.parametrize("name", SKEWED)
def test_p_is_the_larger_of_swaps_and_shuffles(name):
    case = SKEWED[name]
    changes = enumerated(case["c"])
    d = changes.changes_without([])
    swapped = mean_changes(np.stack([d, 0 * d]), changes.signs, 0.05).result
    assert swapped.p_hypothesis[0] == close(case["p_flipped"])
    assert swapped.p_maxt == close(case["p_maxt_flipped"])
    both = changes.also_shuffled(swapped)
    if case["p_flipped"] > 0.1:  # then nothing is shuffled
        assert both == swapped
        return
    assert both.p_hypothesis[0] == close(case["p_question"])
    assert both.p_maxt == close(case["p_maxt"])
    tested = by_both_tests(changes.rounds, [])
    assert np.abs(tested.studentised) == close(case["t"]) and tested.value == close(case["value"])


@pytest.mark.parametrize("name", SKEWED)
def test_the_group_that_moved_farthest_is_looked_at_first(name):
    case = SKEWED[name]
    changes = enumerated(case["c"])
    is_asked = case["p_question"] <= 0.05
    _, moved = changes.who_moved(lambda p: (p <= 0.05) & is_asked)
    assert moved.groups == case["stands_by_p"]
    for expected in case["rounds"]:
        assert np.abs(changes.rounds.tested([]).value).argmax() == expected["furthest"]
        left = by_both_tests(changes.rounds, [expected["furthest"]]).p_maxt
        for group, p in expected["next_p"].items():
            assert left[int(group)] == close(p)


def enumerated(c):
    """Two generations whose cells differ by c, with every flip and every labelling."""
    c = np.array(c)
    changes = changes_of(c, n_draws=2 ** len(c))
    draws = given_draws(all_arrangements([c.shape[1]] * len(c)))

    def every_order(cell):
        assert len(cell) == c.size, "rounds of two groups shuffle nothing"
        return draws

    exchanges = Exchanges.of(changes.cells.frame, lambda _: changes.signs, every_order)
    return replace(changes, exchanges=exchanges)


def test_in_incomplete_blocks_a_round_compares_what_stands_beside_each_other():
    rng = np.random.default_rng(8)
    c = rng.normal(size=(9, 4))
    c[0, 1] = c[3, :2] = c[5, 2:] = np.nan
    d = changes_of(c).changes_without([0])
    assert np.isnan(d[:, 0]).all()
    left = np.where(np.arange(4) == 0, np.nan, c)
    for root, group in np.ndindex(c.shape):
        others = np.delete(left[root], group)
        others = others[~np.isnan(others)]
        expected = left[root, group] - others.mean() if len(others) else np.nan
        assert d[root, group] == pytest.approx(expected, nan_ok=True)
    p = by_both_tests(changes_of(c).rounds, [0]).p_maxt
    assert np.isnan(p[0]) and ((p[1:] > 0) & (p[1:] <= 1)).all()


def test_labels_of_a_group_move_together_and_each_is_told_by_itself(study):
    rng = np.random.default_rng(2)
    for name in ("old", "new"):
        limits = np.full((30, 4, 1), 0.2)
        limits[:, 0] += 0.6 if name == "new" else 0
        draws = rng.random((30, 4, 10))
        of_label = {"angry": draws < limits, "sad": draws > 0.8}
        of_label["calm"] = ~of_label["angry"] & ~of_label["sad"]
        for label, x in of_label.items():
            study.add("mood", x.astype(float), kind="categorical", category=label, system_id=name)
    connection = study.write()
    infer_study(connection, analysis(n_permutations=999))
    every = rows(connection, "system_comparisons")
    found = of(every, "disparity_change").set_index(["group_id", "category"])
    assert sorted(found.index[found.verdict == "different"]) == [("g0", "angry"), ("g0", "calm")]
    significant = found[(found.q_value <= 0.05) & (found.verdict != "different")]
    assert len(significant) and set(significant.explained_by) == {"g0"}
    assert not len(of(every, "mean_change"))


def test_p_within_the_margin_is_two_one_sided_t_and_adjusted_over_groups(study):
    c = noise(30, 4, sd=0.2)
    found = told(study, c, margins={"sentiment": {"mean_difference": 0.12}})
    d = (c - c.mean(axis=1, keepdims=True)) * 4 / 3
    se = d.std(axis=0, ddof=1) / np.sqrt(30)
    p = np.array([stats.t.sf((0.12 - abs(one)) / error, 29) for one, error in zip(d.mean(axis=0), se, strict=True)])
    order = np.argsort(p)
    holm = np.maximum.accumulate(p[order] * np.arange(4, 0, -1)).clip(max=1)[np.argsort(order)]
    # the question is the only one of its set that has a margin
    expected = np.where(hypothesis_levels(holm.min(keepdims=True), holm, np.zeros(4, int)).of_group <= 0.05, 1, 0)
    assert 0 < expected.sum() < 4
    assert (found.verdict == "equivalent").astype(int).tolist() == expected.tolist()


def test_a_group_that_did_not_move_is_within_its_margin_although_it_is_significant_against_all(study):
    c = noise(40, 4, sd=0.1)
    c[:, 0] += 1
    found = told(study, c, margins={"mean_difference": 0.2}, n_permutations=999)
    assert found.verdict.tolist() == ["beyond_margin", *["equivalent"] * 3]
    assert found.explained_by.tolist()[1:] == ["g0"] * 3


N_SETS = fewest()


@pytest.mark.run
@pytest.mark.parametrize("size", [(30, 3), (40, 5), (75, 5)], ids=str)
def test_a_group_that_did_not_move_stands_in_a_twentieth_of_pairs_and_is_seldom_accused(size):
    n_roots, n_groups = size
    design = Design(n_roots, (0.8, *[0.0] * (n_groups - 1)))
    found = bench_who_moved.found(design, N_SETS, seed=n_roots)

    assert found.significant > 0.2  # what the rounds are for
    assert found.differs_on_its_own <= share(N_SETS)
    assert found.accused <= share(N_SETS)
    assert found.moved_stand > 0.65
    assert found.covered >= 1 - share(N_SETS, 0.06)


@pytest.mark.run
@pytest.mark.parametrize(
    "name", ["12x5, 1.2, lognormal less normal", "30x3, 0.8, exponential", "20x5, 0.5, zero-inflated"]
)
def test_a_group_that_did_not_move_seldom_stands_where_changes_are_skewed(name):
    design = next(design for design in bench_who_moved.SKEWED if str(design) == name)
    n_pairs = 400
    found = bench_who_moved.found(design, n_pairs, seed=4)
    assert found.differs_on_its_own <= at_most(0.067, n_pairs)  # docs/statistics.md
    assert found.moved_stand > 0


@pytest.mark.parametrize("k", [2, 4])
def test_where_nothing_changed_everybody_is_within_the_margin(study, k):
    x = noise(8, k)
    connection = two(study, x, x).write()
    infer_study(connection, analysis(margins={"mean_difference": 0.1}))
    found = of(rows(connection, "system_comparisons"), "disparity_change")
    assert found.verdict.tolist() == ["equivalent"] * k

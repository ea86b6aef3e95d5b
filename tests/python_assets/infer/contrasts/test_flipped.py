"""tests/python_assets/infer/contrasts/test_flipped.py - mirrors python_assets/infer/contrasts/flipped.py."""

from itertools import product

import numpy as np
import pytest

from bench.bench_unequal_spread import GRID, p_of_sets
from python_assets.infer.contrasts.compare import compare_values
from python_assets.infer.contrasts.flipped import flipped_p
from python_assets.infer.design.design import Unit
from python_assets.infer.draws.flips import Flips, t_of_sums
from python_assets.infer.options import Reference
from python_assets.infer.run import infer_study
from python_assets.study.base import Against
from tests.promises import fewest, share
from tests.python_assets.infer.test_run import analysis, numbers, rows

CASES = range(3)
EVERY = np.ones(20, dtype=bool)


def signs_of(scheme, n):
    return scheme.signs(n, np.ones(scheme.design.n_units, dtype=bool))


def compared(scheme, x, **options):
    none = {"mean_difference": np.full(x.shape[1], np.nan), "risk_difference": np.full(x.shape[1], np.nan)}
    options = {"is_rate": False, "with_flips": True, "with_indices": False} | options
    return compare_values(scheme, x, none, **options).contrasts


def hypothesis(scheme, x, **options):
    return compared(scheme, x, **options)["mean_difference"].p_hypothesis[:, 0]


@pytest.mark.parametrize("which", CASES)
def test_p_of_a_hypothesis_is_the_golden_one(golden, build, which):
    case = golden["hypothesis_under_unequal_spread"][which]
    scheme, x = build(case["cells"])
    assert scheme.draws.n == case["n_arrangements"]
    result = compared(scheme, x)["mean_difference"]
    assert result.studentised[0] == pytest.approx(case["t"], abs=1e-9)
    assert result.p_hypothesis[0] == pytest.approx([case["p_hypothesis"]] * 3, abs=1e-9)
    assert result.is_flipped.all()
    assert hypothesis(scheme, x, with_flips=False)[0] == pytest.approx(case["p_hypothesis_permuted"], abs=1e-9)


@pytest.mark.parametrize("which", CASES)
def test_parts_of_it_are_the_golden_ones(golden, build, which):
    case = golden["hypothesis_under_unequal_spread"][which]
    scheme, x = build(case["cells"])
    shuffled = []

    def keep(value, size, columns, batch):
        shuffled.append(size[:, :, 0])
        return np.zeros(1, dtype=int)

    scheme.contrast.over_ts(x, scheme.draws, keep)
    d = scheme.contrast.by_unit(x)[:, :, 0].T
    signs = signs_of(scheme, 99)
    turned = np.concatenate([np.abs(t_of_sums(s @ d, (d**2).sum(axis=0), np.full(3, 6))[0]) for s in signs.batches()])
    assert len(turned) == case["n_flips"]
    seen = np.abs(case["t"])
    for drawn, name in ((np.concatenate(shuffled), "permuted"), (turned, "flipped")):
        p_max = (drawn.max(axis=1) >= seen.max() - 1e-8).mean()
        p_sum = ((drawn**2).sum(axis=1) >= case["sum_of_squares"] - 1e-7).mean()
        assert p_max == pytest.approx(case[f"p_max_{name}"], abs=1e-9)
        assert p_sum == pytest.approx(case[f"p_sum_{name}"], abs=1e-9)


@pytest.mark.parametrize("which", CASES)
def test_flips_of_the_golden_cases(golden, build, which):
    case = golden["hypothesis_under_unequal_spread"][which]
    scheme, x = build(case["cells"])
    found = flipped_p(scheme.contrast.by_unit(x), scheme.contrast.is_present, signs_of(scheme, 99))
    if min(case["p_max_flipped"], case["p_sum_flipped"]) == 2**-5:  # they object to nothing
        assert np.isnan(found[0])
    else:
        assert found[0] == pytest.approx(case["p_hypothesis_flipped"], abs=1e-9)


def by_enumeration(d):
    """P by every way to turn root prompts round, in plain loops; d: (root prompts, rows), NaN where absent."""

    def t(d):
        n = (~np.isnan(d)).sum(axis=0)
        return np.abs(np.nanmean(d, axis=0) / (np.nanstd(d, axis=0, ddof=1) / np.sqrt(n)))

    drawn = np.array([t(d * np.array(s)[:, None]) for s in product([1, -1], repeat=len(d))])
    statistics = [drawn.max(axis=1), (drawn**2).sum(axis=1)]  # the first one is as observed
    ranks = [np.array([(s >= one - 1e-9).mean() for one in s]) for s in statistics]
    smaller = np.minimum(*ranks)
    return np.nan if min(ranks[0][0], ranks[1][0]) <= 2 / len(drawn) else (smaller <= smaller[0] + 1e-12).mean()


@pytest.mark.parametrize("against", [Against.REST, Against.GRAND_MEAN, Against.LEVEL, Against.ALL_PAIRS])
def test_flips_of_incomplete_blocks_are_those_of_plain_loops(build, against):
    x = np.random.default_rng(4).normal(size=(8, 4))
    x[0, 1] = x[3, 2] = x[5, 0] = np.nan
    scheme, z = build(x, n_permutations=9)
    scheme = scheme._replace(reference=Reference(against, 0 if against is Against.LEVEL else None))
    contrast = scheme.contrast
    d = np.where(contrast.is_present, contrast.by_unit(z)[:, :, 0], np.nan).T
    found = flipped_p(contrast.by_unit(z), contrast.is_present, signs_of(scheme, 9))
    assert found[0] == pytest.approx(by_enumeration(d), abs=1e-12)


def test_drawn_flips_come_near_the_enumeration_and_are_the_same_whatever_stands_beside_them():
    d = np.random.default_rng(2).normal(size=(4, 12, 5))
    present = np.ones((4, 12), dtype=bool)
    exact = flipped_p(d, present, Flips(1, 99, 12))
    wide, there = np.zeros((4, 14, 5)), np.zeros((4, 14), dtype=bool)  # two root prompts without any group
    wide[:, :12], there[:, :12] = d, True
    drawn = flipped_p(wide, there, Flips(3, 19_999, 14))
    objects = ~np.isnan(exact)
    assert objects.sum() == 4
    assert drawn[objects] == pytest.approx(exact[objects], abs=0.02)
    assert flipped_p(wide[:, :, 2:3], there, Flips(3, 19_999, 14))[0] == drawn[2]


def test_it_is_not_made_where_a_shuffle_says_all_that_flips_could(build):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(20, 4))
    x[:, 0] += 1.5
    is_made = compared(*build(x, n_permutations=199))["mean_difference"].is_flipped
    assert is_made.all()
    unsure = compared(*build(x - [1.5, 0, 0, 0], n_permutations=199))["mean_difference"]
    assert (unsure.p_hypothesis > 0.1).all()
    assert not unsure.is_flipped.any()
    assert build(x[:, :2], n_permutations=9)[0].signs(9, EVERY) is None  # of two groups a shuffle is a flip
    assert build(x[:3], n_permutations=9)[0].signs(9, EVERY[:3]) is None
    assert build(x, n_permutations=9, unit=Unit.BLOCK)[0].signs(9, EVERY) is None
    assert not compared(*build(x > 0.5, n_permutations=199), is_rate=True)["risk_difference"].is_flipped.any()


def test_p_of_groups_stays_and_p_of_the_hypothesis_never_falls(build):
    x = np.random.default_rng(3).normal(size=(12, 5, 400)) * np.array([5, 1, 1, 1, 1])[:, None]
    scheme, z = build(x, n_permutations=499)
    shuffled, ruled = (compared(scheme, z, with_flips=also)["mean_difference"] for also in (False, True))
    assert (ruled.p_hypothesis >= shuffled.p_hypothesis).all()
    assert (ruled.p_hypothesis > shuffled.p_hypothesis).any()
    assert (ruled.p_maxt == shuffled.p_maxt).all()


def test_the_method_of_a_hypothesis_says_so(study, snapshot):
    connection = study.add("moved", numbers(14, 4, shift=2)).add("still", numbers(14, 4, seed=7)).write()
    infer_study(connection, analysis(n_permutations=199))
    method = rows(connection, "hypotheses").set_index("measure_id").method
    assert [method["moved"], method["still"]] == snapshot
    assert not rows(connection, "contrasts").method.str.contains("flips").any()


def test_hypotheses_keep_their_size_where_one_group_spreads_more():
    name, n_sets = "30x6 one sd x6", fewest(0.06)
    shuffled, ruled = ((p <= 0.05).mean() for p in p_of_sets(GRID[name], n_sets=n_sets, n_permutations=299))
    assert shuffled > 0.06  # what the flips are for
    assert ruled <= share(n_sets, 0.06)
    assert ruled < shuffled


def test_exchangeable_skewed_cells_are_left_to_the_shuffle():
    # flips alone are liberal there: .15 by simulation
    shuffled, ruled = p_of_sets(GRID["12x6 lognormal"], n_sets=fewest(0.06), n_permutations=299, seed=5)
    assert (ruled <= 0.05).mean() <= share(fewest(0.06), 0.06)
    assert (ruled >= shuffled).all()


def test_signs_are_of_the_root_prompts_of_the_frame(build):
    x = np.random.default_rng(1).normal(size=(20, 3))
    some = x.copy()
    some[[2, 7]] = np.nan
    everywhere, kept = (np.concatenate([*signs_of(build(one, n_permutations=9)[0], 50).batches()]) for one in (x, some))
    assert (np.delete(everywhere, [2, 7], axis=1) == kept).all()

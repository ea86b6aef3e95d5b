"""tests/python_assets/infer/contrasts/test_stages.py - draws in stages, of contrasts/compare.py."""

import numpy as np
import pytest

from python_assets.infer.contrasts.compare import compare_labels, compare_values
from python_assets.infer.draws.exchange import Shuffles, owner_draws
from python_assets.infer.draws.flips import Flips
from python_assets.infer.result import Result
from python_assets.infer.run import infer_study
from python_assets.infer.schemes.choose import stages
from python_assets.infer.schemes.inversion import resamples_of
from tests.python_assets.infer.changes.test_swapped import changes_of
from tests.python_assets.infer.test_run import analysis, numbers, rows

NAMES = ("mean_difference", "risk_difference", "log_disparity")
LONG = 2_499


def margins(n):
    return {name: np.full(n, np.nan) for name in NAMES}


@pytest.fixture
def schemes(build):
    """Draws in stages, and each stage on its own, of 40 columns of which every fourth has an effect."""
    x = np.random.default_rng(1).normal(size=(12, 4, 40))
    x[:, 0, ::4] += 1.0
    staged, z = build(x, n_permutations=LONG)
    staged = staged._replace(n_first=999, resamples=resamples_of(1, LONG, 12))
    first, last = (staged._replace(draws=draws, n_first=None) for draws in (staged.draws.first(999), staged.draws))
    return (staged, first, last), z


def same(one, other, places, fields):
    for field in fields:
        a, b = (np.asarray(getattr(of, field)[places].tolist()) for of in (one, other))
        assert (a == b).all() or a.astype(float) == pytest.approx(b.astype(float), nan_ok=True, abs=1e-12)


OF_P = ("value", "null_q95", "p_value", "p_maxt", "p_hypothesis")


@pytest.mark.parametrize("is_rate", [False, True])
def test_a_hypothesis_has_the_p_of_the_stage_that_it_ends_in(schemes, is_rate):
    (staged, *single), z = schemes
    z = z > 0.3 if is_rate else z
    z = z.astype(float)

    def found(scheme):
        return compare_values(scheme, z, margins(z.shape[1]), is_rate=is_rate, with_log=is_rate, with_flips=True)

    whole, (short, long) = found(staged), (found(scheme) for scheme in single)
    name = NAMES[is_rate]
    ends = short.contrasts[name].p_hypothesis[:, 0] > 0.1
    assert 0 < ends.sum() < 40
    for which, stage in ((ends, short), (~ends, long)):
        for contrast in whole.contrasts:
            same(whole.contrasts[contrast], stage.contrasts[contrast], which, OF_P)
        for index in whole.indices:
            same(whole.indices[index], stage.indices[index], which, ("value", "p_value", "null_median", "null_q95"))
    # intervals keep the draws that they were simulated with, whatever the p is of
    for index in whole.indices:
        every = np.ones(40, dtype=bool)
        same(whole.indices[index], long.indices[index], every, ("ci_low", "ci_high", "value_corrected"))
    assert (whole.contrasts[name].n_draws[:, 0] == np.where(ends, 999, LONG)).all()
    assert (whole.indices["range"].n_draws == np.where(ends, 999, LONG)).all()


def test_labels_of_a_measure_go_on_together(build):
    rng = np.random.default_rng(2)
    label = rng.integers(3, size=(15, 4, 12))
    label[:, 0, ::3] = np.where(rng.random((15, 4)) < 0.6, 0, label[:, 0, ::3])
    y = (label[..., None] == np.arange(3)).astype(float)
    staged, _ = build(label[:, :, 0], n_permutations=LONG)
    staged = staged._replace(n_first=999, resamples=resamples_of(1, LONG, 15))
    cells = y.reshape(60, 12, 3)

    def found(scheme):
        return compare_labels(scheme, cells, margins(12))

    whole = found(staged)
    short, long = (
        found(staged._replace(draws=draws, n_first=None)) for draws in (staged.draws.first(999), staged.draws)
    )
    ends = short.contrasts["risk_difference"].p_hypothesis.reshape(12, -1)[:, 0] > 0.1
    assert 0 < ends.sum() < 12
    for which, stage in ((ends, short), (~ends, long)):
        same(whole.contrasts["risk_difference"], stage.contrasts["risk_difference"], np.repeat(which, 3), OF_P)
        same(whole.contrasts["fdi_group"], stage.contrasts["fdi_group"], which, ("value", "p_value", "null_q95"))
        same(whole.indices["fdi"], stage.indices["fdi"], which, ("value", "p_value", "null_q95"))
    same(whole.indices["fdi"], long.indices["fdi"], np.ones(12, dtype=bool), ("ci_low", "ci_high", "value_corrected"))


def test_a_p_does_not_depend_on_what_is_asked_beside_it(schemes):
    (staged, *_), z = schemes
    places = np.array([4, 7, 2])
    whole, some = (
        compare_values(staged, z[:, at], margins(len(at)), is_rate=False, with_flips=True)
        for at in (np.arange(40), places)
    )
    for contrast in some.contrasts:
        expected = whole.contrasts[contrast].taken(places)
        same(some.contrasts[contrast], expected, np.arange(3), Result._fields[:15])


def test_the_first_draws_are_those_that_longer_ones_begin_with():
    stratum = np.repeat(np.arange(30), 40)  # a batch ends elsewhere than the first stage
    for cell in (np.arange(1200), np.flatnonzero(np.arange(1200) % 7 > 0)):
        whole = Shuffles(3, 700, stratum).of(cell)
        assert all(batch.stop % 333 for batch in whole.batches)
        first = Shuffles(3, 700, stratum).of(cell).first(333)
        first.sources(first.batches[-1])  # what is kept of a cut batch is no whole one
        a, b = (np.concatenate([draws.sources(batch) for batch in draws.batches]) for draws in (first, whole))
        assert (a == b[:333]).all()
        assert whole.first(333).n == 333
        assert whole.first(700) is whole
    owned = owner_draws(3, 500, np.zeros(12, dtype=int), np.repeat(np.arange(4), 3))
    short = owned.first(99)
    assert (short.sources(slice(0, 99)) == owned.sources(slice(0, 256))[:99]).all()


def test_signs_come_in_stages_unless_all_are_taken():
    few = Flips(1, 199, 13, n_first=99)
    assert (few.n, few.is_complete, few.stages) == (2**13, True, [few])
    many = Flips(1, 1_999, 14, n_first=999)
    assert not many.is_complete
    first, last = many.stages
    assert (first.n, last.n) == (999, 1_999)
    a, b = (np.concatenate([*one.batches()]) for one in (first, last))
    assert (a == b[:999]).all()
    assert Flips(1, 199, 14, n_first=999).stages[0].n == 199


def test_changes_are_drawn_in_stages():
    d = np.random.default_rng(1).normal(size=(20, 3))
    signs = Flips(1, 1_999, 20, n_first=999)
    still, moved = (changes_of(d + shift, signs) for shift in (0, [1.0, 0, 0]))
    assert still.p_hypothesis[0] > 0.1 >= moved.p_hypothesis[0]
    assert (set(still.n_draws), set(moved.n_draws)) == ({999}, {1_999})
    for found, n in ((still, 999), (moved, 1_999)):
        shift = 0 if n == 999 else [1.0, 0, 0]
        assert (found.p_value == changes_of(d + shift, Flips(1, n, 20)).p_value).all()


def test_a_scheme_drawn_once_has_one_stage(schemes):
    (staged, first, last), _ = schemes
    assert [draws.n for draws in stages(staged)] == [999, LONG]
    assert [draws.n for draws in stages(first)] == [999]
    assert stages(last) == [last.draws]


def test_every_p_and_floor_has_its_number_of_draws(study):
    still, moved = numbers(14, 4, seed=7), numbers(14, 4, shift=3)
    connection = study.add("still", still).add("moved", moved).ask("median").write()
    infer_study(connection, analysis(n_permutations=1_999))
    hypotheses = rows(connection, "hypotheses").set_index(["measure_id", "statistic"])
    assert hypotheses.n_draws.to_dict() == {
        ("still", "mean"): 999,
        ("still", "median"): 999,
        ("moved", "mean"): 1_999,
        ("moved", "median"): 1_999,
    }
    for table in ("contrasts", "disparities"):
        found = rows(connection, table).set_index(["measure_id", "statistic"])
        has_draws = found.p_value.notna() | found.null_q95.notna()
        assert (found.n_draws.notna() == has_draws).all()
        assert (found.n_draws[has_draws] == hypotheses.n_draws.reindex(found.index)[has_draws]).all()


def test_a_p_of_a_t_distribution_is_of_no_draws_though_its_floor_is(study):
    connection = study.add("few", numbers(5, 2)).write()
    infer_study(connection, analysis(n_permutations=199))
    assert rows(connection, "hypotheses").n_draws.isna().all()
    assert (rows(connection, "contrasts").n_draws == 199).all()

"""Functions of the study's own, from the tables of a build file to those of inference."""

from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest

from python_assets.infer.run import infer_study
from tests.heard import Heard
from tests.promises import fewest, least, most
from tests.python_assets.infer.test_run import analysis, rows

FOLDER = Path(__file__).parents[1] / "statistics"


def asked(study, *names):
    """The tables of a study that asks for functions of own_statistics.py."""
    connection = study.write()
    connection.execute("alter table raw.statistics alter function_path type varchar")
    for name in names:
        path = f"own_statistics:{name}"
        connection.execute(
            "insert into raw.statistics (statistic, parameters, normalise, normalise_over, is_paired, function_path) "
            "values ($name, 'function=' || $path, '', '', false, $path)",
            {"name": name, "path": path},
        )
    return connection


def of_study(**options):
    return analysis(folder=FOLDER, **options)


def test_every_p_is_that_of_all_arrangements(study):
    x = np.random.default_rng(1).exponential(size=(4, 3, 2))
    x[1, 2, 1] = np.nan
    connection = asked(study.add("sentiment", x), "spread")
    infer_study(connection, of_study(n_permutations=9_999))

    def spreads(order):
        groups = [x[np.arange(4), list(cells)].ravel() for cells in zip(*order, strict=True)]
        present = [group[~np.isnan(group)] for group in groups]
        return np.array([np.abs(group - np.median(group)).mean() for group in present])

    every = np.array([spreads(order) for order in product(permutations(range(3)), repeat=4)])
    seen = spreads([(0, 1, 2)] * 4)
    others = (every.sum(axis=1, keepdims=True) - every) / 2
    size = np.abs(every - others)
    exact = (size >= np.abs(seen - (seen.sum() - seen) / 2) - 1e-9).mean(axis=0)
    exact_hypothesis = (every.std(axis=1) >= seen.std() - 1e-9).mean()

    values = rows(connection, "function_statistics")
    assert values.value.to_numpy() == pytest.approx(seen)
    assert values.reason.isna().all()
    contrasts = rows(connection, "contrasts", "contrast = 'spread_difference'")
    assert contrasts.value_cells.to_numpy() == pytest.approx(seen - (seen.sum() - seen) / 2)
    # 1,296 arrangements, of which 1,999 are drawn: within the error of drawing
    error = 4 * np.sqrt(exact * (1 - exact) / contrasts.n_draws.to_numpy(dtype=float))
    assert (np.abs(contrasts.p_value.to_numpy() - exact) <= error + 1e-3).all()
    (hypothesis,) = rows(connection, "hypotheses", "statistic = 'spread'").itertuples()
    assert hypothesis.family_id == "secondary"
    assert hypothesis.p_value == pytest.approx(exact_hypothesis, abs=0.06)
    (spread,) = rows(connection, "disparities", "statistic = 'spread' and metric = 'standard_deviation'").itertuples()
    assert spread.p_value == hypothesis.p_value


def test_no_interval_is_told_and_why(study):
    connection = asked(study.add("sentiment", np.random.default_rng(2).normal(size=(12, 3))), "spread")
    infer_study(connection, of_study())
    found = rows(connection, "summary_statistics", "statistic = 'spread'")
    assert set(found.inference_reason) == {"interval_not_validated"}
    assert found[["ci_low", "ci_high"]].isna().all(axis=None)
    contrasts = rows(connection, "contrasts", "contrast = 'spread_difference'")
    assert set(contrasts.inference_reason) == {"interval_not_validated"}
    assert contrasts[["std_error", "ci_low", "ci_high"]].isna().all(axis=None)


def test_a_group_that_a_function_fails_on_has_its_reason_and_the_others_their_values(study, snapshot):
    x = np.random.default_rng(3).uniform(-1, 1, size=(10, 3))
    x[4, 1] = 3.0
    x[:, 2] = np.nan
    heard = Heard()
    connection = asked(study.add("sentiment", x), "picky", "undefined")
    infer_study(connection, of_study(), progress=heard)
    picky = rows(connection, "function_statistics", "statistic = 'picky'")
    assert picky.group_id.tolist() == ["g0", "g1"]
    assert picky.value.iloc[0] == pytest.approx(x[:, 0].mean())
    assert np.isnan(picky.value.iloc[1])
    assert picky.reason.fillna("").tolist() == ["", "function_failed"]
    undefined = rows(connection, "function_statistics", "statistic = 'undefined'")
    assert set(undefined.reason) == {"custom_undefined"}
    contrasts = rows(connection, "contrasts", "contrast = 'picky_difference'")
    assert contrasts.p_value.isna().all()
    told = [line for line in heard.said if "own_statistics" in line]
    assert told == snapshot


def test_groups_that_no_shuffle_serves_have_their_values_alone(study):
    x = np.full((12, 2), np.nan)
    x[:6, 0], x[6:, 1] = np.random.default_rng(4).normal(size=(2, 6))
    connection = asked(study.add("sentiment", x), "average")
    infer_study(connection, of_study())
    values = rows(connection, "function_statistics")
    assert values.value.to_numpy() == pytest.approx(np.nanmean(x, axis=0))
    contrasts = rows(connection, "contrasts", "contrast = 'average_difference'")
    assert contrasts.p_value.isna().all()
    assert contrasts.inference_reason.notna().all()


def test_without_a_function_nothing_is_loaded_and_the_table_is_empty(study):
    connection = study.add("sentiment", np.random.default_rng(5).normal(size=(6, 2))).write()
    infer_study(connection, analysis())  # which has no folder
    assert rows(connection, "function_statistics").empty


@pytest.mark.run
def test_p_of_a_function_is_as_often_small_as_it_says(study):
    """Data sets without any difference, a measure each."""
    rng, n_sets = np.random.default_rng(7), fewest()
    for number in range(n_sets):
        of_root = rng.normal(size=(12, 1))
        study.add(f"m{number}", of_root + rng.exponential(size=(12, 3)))
    connection = asked(study, "spread")
    infer_study(connection, of_study(n_permutations=199, n_bootstrap=99))
    p = rows(connection, "hypotheses", "statistic = 'spread'").p_value
    assert len(p) == n_sets
    assert least(n_sets) <= (p <= 0.05).sum() <= most(n_sets)

"""Factors and pairs of a grouping, flipped by whole prompts, against every arrangement of signs."""

from itertools import product

import duckdb
import numpy as np
import pandas as pd
import pytest

from python_assets.infer.multiway_flips import multiway_flips
from python_assets.study.base import grouping_id

RACES, ROLES = ("a", "b", "c"), ("judge", "none")
KEYS = {
    "study_id": "s",
    "slice_id": "all",
    "generation_id": "g",
    "measure_id": "m",
    "grouping_id": "race x role",
    "category": "",
}
PLACE = tuple(KEYS.values())


def build(values, *, missing=()):
    """A build file of cells (prompts, races, roles), two blocks each, without those that are missing."""
    groups = [grouping_id(pair) for pair in product(RACES, ROLES)]
    rows = [
        KEYS
        | {"group_position": place, "root_position": root, "block_position": 2 * root + block}
        | {"cell_mean": values[root].ravel()[place] + (0.3 if block else -0.3)}
        for root in range(len(values))
        for place in range(len(groups))
        for block in range(2)
        if (root, groups[place]) not in missing
    ]
    cells = pd.DataFrame(rows).assign(calibration="raw", statistic="mean", parameters="")
    places = pd.DataFrame(
        {"slice_id": "all", "grouping_id": "race x role", "group_position": range(6), "group_id": groups}
    )
    connection = duckdb.connect()
    connection.execute("create schema intermediate")
    connection.register("made_cells", cells)
    connection.register("made_places", pd.concat([places, places]))
    connection.execute("create table intermediate.int_cells as from made_cells")
    connection.execute("create table intermediate.int_prompt_groups as from made_places")
    return connection


def made(n_prompts=8, seed=4):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_prompts, 3, 2)) + rng.normal(size=(n_prompts, 1, 1))


def exact(contrasts):
    """Share of all signs whose T2 is as large, by the covariance of the flipped contrasts."""

    def t2(x):
        mean = x.mean(axis=0)
        return mean @ np.linalg.solve(np.atleast_2d(np.cov(x, rowvar=False)), mean)

    every = [t2(np.array(signs)[:, None] * contrasts) for signs in product([1, -1], repeat=len(contrasts))]
    return np.mean(np.array(every) >= t2(contrasts) - 1e-9)


def flipped(connection):
    return multiway_flips(connection, seed=1, n_draws=9_999)


def test_each_factor_and_their_pair_have_the_p_of_every_arrangement():
    values = made()
    found = flipped(build(values))
    assert {key[-1] for key in found} == {"race", "role", "race x role"}
    # any full set of contrasts gives the same T2: differences from the first level
    race, role = values.mean(axis=2), values.mean(axis=1)
    pair = values[:, :, 0] - values[:, :, 1]
    for term, contrasts in {
        "race": race[:, 1:] - race[:, :1],
        "role": role[:, 1:] - role[:, :1],
        "race x role": pair[:, 1:] - pair[:, :1],
    }.items():
        assert found[*PLACE, term].p == pytest.approx(exact(contrasts), abs=1e-12)


def test_an_effect_of_one_factor_is_not_taken_for_the_other_or_the_pair():
    values = made(n_prompts=25)
    values[:, 1] += 2
    found = flipped(build(values))
    assert found[*PLACE, "race"].p <= 0.001
    assert found[*PLACE, "race"].floor_share < 1 < found[*PLACE, "role"].floor_share * 20
    assert min(found[*PLACE, "role"].p, found[*PLACE, "race x role"].p) > 0.05


def test_a_role_that_moves_one_race_alone_is_the_effect_of_the_pair():
    values = made(n_prompts=25)
    values[:, 2, 0] += 3
    assert flipped(build(values))[*PLACE, "race x role"].p <= 0.001


def test_prompts_without_a_combination_are_left_out():
    values = made(n_prompts=10)
    found = flipped(build(values, missing={(0, "a x judge"), (9, "c x none")}))
    assert found[*PLACE, "race"].n_root_prompts == 8
    assert found[*PLACE, "race"].scope == "prompts like these"
    race = values[1:9].mean(axis=2)
    assert found[*PLACE, "race"].p == pytest.approx(exact(race[:, 1:] - race[:, :1]), abs=1e-12)


def test_a_combination_that_no_prompt_has_leaves_nothing_to_flip():
    assert flipped(build(made(), missing={(root, "a x judge") for root in range(8)})) == {}

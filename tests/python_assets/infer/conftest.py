"""Designs, arrangements and build files that the tests of inference share."""

import itertools
import json
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

from python_assets.infer.design import Design, Frame, Unit, shared
from python_assets.infer.permutation import GivenDraws, Shuffles
from python_assets.infer.scheme import Blocks
from python_assets.infer.truth_rows import ANSWERS, TRUTHS
from python_assets.study.statistics import statistic_rows

GOLDEN = {
    name: case
    for file in ("inference_golden.json", "inference_golden_2.json")
    for name, case in json.loads(Path(__file__).with_name(file).read_text())["cases"].items()
}


@pytest.fixture
def golden():
    """The golden cases: every arrangement enumerated, so that no seed is in them."""
    return GOLDEN


def all_arrangements(sizes):
    """Every shuffle of places inside blocks of these sizes, shape (arrangements, places)."""
    starts = np.cumsum([0, *sizes[:-1]])
    within = [
        [start + np.array(p) for p in itertools.permutations(range(k))]
        for start, k in zip(starts, sizes, strict=True)
    ]
    return np.array([np.concatenate(parts) for parts in itertools.product(*within)])


@pytest.fixture
def build():
    """From a table (root prompts, groups[, columns]), NaN where absent, to a scheme and its cells."""

    def make(x, *, n_permutations=None, seed=1, alpha=0.05, unit=Unit.ROOT_PROMPT, root_of_block=None):
        x = np.array(x, dtype=float)
        n_blocks, n_groups = x.shape[:2]
        flat = x.reshape(n_blocks * n_groups, -1)
        present = ~np.isnan(flat[:, 0])
        roots = np.arange(n_blocks) if root_of_block is None else np.array(root_of_block)
        frame = Frame(
            np.repeat(np.arange(n_blocks), n_groups), np.tile(np.arange(n_groups), n_blocks), roots, n_groups
        )
        design = Design(frame, shared(frame, present), unit)
        if n_permutations is None:
            draws = GivenDraws(all_arrangements(design.block_size.tolist()))
        else:
            draws = Shuffles(seed, n_permutations, frame.block).of(design.cell)
        n_with_value = len(np.unique(frame.group[present]))
        return Blocks(design, n_with_value, draws, alpha), flat[design.cell]

    return make


class Study:
    """The tables of one small build file, filled cell by cell."""

    def __init__(self):
        self.measures, self.directions = {}, {}
        self.values, self.selected, self.statistics = [], [], []

    def add(
        self,
        measure_id,
        x,
        *,
        kind="continuous",
        direction="higher_better",
        generation_id="model",
        calibration="raw",
        category="",
        baseline=None,
    ):
        """Add values of shape (root prompts, groups[, replicates]); NaN is no response."""
        self.measures[measure_id], self.directions[measure_id] = kind, direction
        x = np.asarray(x, dtype=float)
        x = x[:, :, None] if x.ndim == 2 else x
        b = (
            np.full(x.shape, np.nan)
            if baseline is None
            else np.asarray(baseline, dtype=float).reshape(x.shape)
        )
        root, group, replicate = np.nonzero(~np.isnan(x))
        self.values.append(
            pd.DataFrame(
                {
                    "generation_id": generation_id,
                    "measure_id": measure_id,
                    "calibration": calibration,
                    "category": category,
                    "root": root,
                    "group": group,
                    "replicate": replicate,
                    "x": x[root, group, replicate],
                    "baseline": b[root, group, replicate],
                }
            )
        )
        return self

    def ask(self, *statistics):
        """Ask for statistics as a study file does, besides means."""
        self.statistics += statistics
        return self

    def write(self, blocks_of_root=1, n_prompts=1, shuffle=None, strata=None, factors=()):
        """Write the tables; every blocks_of_root rows in turn are blocks of one root prompt.

        strata: of each root prompt, where root prompts are nested in groups. factors: outside the grouping,
        with is_held and left_out_because.
        """
        values = pd.concat(self.values)
        values["root_position"] = values.root // blocks_of_root
        values["prompt_id"] = "p" + values.root.astype(str) + "_" + values.group.astype(str)
        keys = ["generation_id", "measure_id", "calibration", "category", "group", "root", "root_position"]
        cells = values.groupby(keys, as_index=False).agg(cell_mean=("x", "mean"), n_responses=("x", "size"))
        cells = cells.rename(columns={"group": "group_position", "root": "block_position"})
        place = {"slice_id": "all", "grouping_id": "gender", "study_id": "small"}
        cells = cells.assign(n_prompts=n_prompts, **place)
        if shuffle is not None:
            cells = cells.sample(frac=1, random_state=shuffle)
        cells = pd.concat([cells.assign(statistic="mean", parameters=""), *self.selected])
        prompts = values[["prompt_id", "group", "root", "root_position"]].drop_duplicates()
        prompts = prompts.assign(
            group_id="g" + prompts.group.astype(str),
            scheme="blocked" if strata is None else "nested",
            unit_factor=None,
            root_prompt_position=prompts.root_position,
            stratum_position=np.nan if strata is None else np.asarray(strata)[prompts.root_position],
        )
        ranges = values.dropna(subset="baseline").assign(
            low=lambda rows: rows[["x", "baseline"]].min(axis=1),
            high=lambda r: r[["x", "baseline"]].max(axis=1),
        )
        ranges = ranges.groupby(["generation_id", "measure_id", "calibration"], as_index=False)
        tables = {
            "raw.measures": pd.DataFrame(
                {
                    "study_id": "small",
                    "measure_id": list(self.measures),
                    "kind": list(self.measures.values()),
                    "direction": list(self.directions.values()),
                    "extractor": "",
                }
            ),
            "raw.statistics": pd.DataFrame(statistic_rows(["mean", *self.statistics])),
            "raw.measure_slices": pd.DataFrame(
                {"study_id": "small", "measure_id": list(self.measures), "slice_id": "all"}
            ),
            "raw.groupings": pd.DataFrame({"grouping_id": ["gender"], "factor": "gender"}),
            "raw.ground_truths": pd.DataFrame(columns=TRUTHS),
            "intermediate.int_truth_answers": pd.DataFrame(columns=ANSWERS),
            "intermediate.int_cells": cells,
            "intermediate.int_blocking_factors": pd.DataFrame(
                [("all", "gender", *factor) for factor in factors],
                columns=["slice_id", "grouping_id", "factor", "is_held", "left_out_because"],
            ),
            "intermediate.int_values": values.drop(columns=["group", "root", "root_position"]).assign(
                study_id="small"
            ),
            "intermediate.int_value_ranges": ranges.agg(
                value_low=("low", "min"), value_high=("high", "max")
            ).assign(slice_id="all"),
            "intermediate.int_prompt_groups": prompts.rename(
                columns={"group": "group_position", "root": "block_position"}
            ).assign(**place),
        }
        connection = duckdb.connect()
        connection.execute("create schema raw; create schema intermediate")
        for name, frame in tables.items():
            connection.register("frame", frame)
            connection.execute(f"create table {name} as select * from frame")
            connection.unregister("frame")
        for table, column in (("int_values", "baseline"), ("int_prompt_groups", "stratum_position")):
            name = f"intermediate.{table}"
            connection.execute(f"update {name} set {column} = null where isnan({column})")
        return connection

    def select(self, measure_id, threshold=0.0):
        """Add the share of each cell of a measure that is at least the threshold."""
        values = next(part for part in self.values if (part.measure_id == measure_id).all())
        share = values.assign(x=(values.x >= threshold).astype(float), root_position=values.root)
        keys = ["generation_id", "measure_id", "calibration", "category", "group", "root", "root_position"]
        cells = share.groupby(keys, as_index=False).agg(cell_mean=("x", "mean"), n_responses=("x", "size"))
        cells = cells.rename(columns={"group": "group_position", "root": "block_position"})
        self.selected.append(
            cells.assign(
                n_prompts=1,
                slice_id="all",
                grouping_id="gender",
                study_id="small",
                statistic="selection_rate",
                parameters=f"standard=fixed({threshold:g})",
            )
        )
        return self


@pytest.fixture
def study():
    """An empty study to add measures to."""
    return Study()

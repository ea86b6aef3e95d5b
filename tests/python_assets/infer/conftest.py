"""Designs, arrangements and build files that the tests of inference share."""

import itertools
import json
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from python_assets.infer.design.design import Design, Frame, Unit, shared
from python_assets.infer.draws.exchange import Shuffles, given_draws
from python_assets.infer.schemes.choose import Blocks
from python_assets.infer.truth.truth_rows import TRUTH_COLUMNS, TRUTHS
from python_assets.study.statistics import statistic_rows

GOLDEN = {
    name: case
    for file in ("inference_golden.json", "inference_golden_2.json", "inference_golden_3.json")
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
        [start + np.array(p) for p in itertools.permutations(range(k))] for start, k in zip(starts, sizes, strict=True)
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
        frame = Frame(np.repeat(np.arange(n_blocks), n_groups), np.tile(np.arange(n_groups), n_blocks), roots, n_groups)
        design = Design(frame, shared(frame, present), unit)
        if n_permutations is None:
            draws = given_draws(all_arrangements(design.block_size.tolist()))
        else:
            draws = Shuffles(seed, n_permutations, frame.block).of(design.cell)
        n_with_value = len(np.unique(frame.group[present]))
        return Blocks(design, n_with_value, draws, alpha), flat[design.cell]

    return make


class Study:
    """The tables of one small build file, filled cell by cell."""

    def __init__(self):
        self.measures, self.directions = {}, {}
        self.scales, self.missing, self.labels = {}, [], []
        self.control_values, self.control_types = [], {}
        self.values, self.selected, self.statistics = [], [], []
        self.selected_answers = []
        self.silent, self.levels = [], {}  # generations without a value; levels of others by name
        self.responses = pd.DataFrame(columns=["system_id", "prompt_id", "replicate", "response_text"], dtype=str)
        self.scorers = pd.DataFrame(columns=["measure_id", "system_id", "scorer_version", "value", "label"], dtype=str)

    def add(
        self,
        measure_id,
        x,
        *,
        kind="continuous",
        direction="higher_better",
        system_id="model",
        calibration="raw",
        category="",
        baseline=None,
    ):
        """Add values of shape (root prompts, groups[, replicates]); NaN is no response."""
        self.measures[measure_id], self.directions[measure_id] = kind, direction
        x = np.asarray(x, dtype=float)
        x = x[:, :, None] if x.ndim == 2 else x
        b = np.full(x.shape, np.nan) if baseline is None else np.asarray(baseline, dtype=float).reshape(x.shape)
        root, group, replicate = np.nonzero(~np.isnan(x))
        self.values.append(
            pd.DataFrame(
                {
                    "system_id": system_id,
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

    def control(self, measure_id, y, *, types=None, system_id="model", calibration="raw"):
        """Add values of negative controls c0, c1 ..., shape (root prompts, controls[, replicates]), and their types."""
        y = np.asarray(y, dtype=float)
        y = y[:, :, None] if y.ndim == 2 else y
        names = [f"c{at}" for at in range(y.shape[1])]
        self.control_types = dict(zip(names, types or [None] * len(names), strict=True))
        root, control, replicate = np.nonzero(~np.isnan(y))
        self.control_values.append(
            pd.DataFrame(
                {
                    "system_id": system_id,
                    "measure_id": measure_id,
                    "calibration": calibration,
                    "category": "",
                    "root_position": root,
                    "group_position": control,
                    "replicate": replicate,
                    "x": y[root, control, replicate],
                    "baseline": np.nan,
                    "prompt_id": [f"c{at}_{of}" for at, of in zip(root, control, strict=True)],
                }
            )
        )
        return self

    def _with_controls(self, tables, n_roots):
        """Tables with the cells, prompts and values of the controls, a grouping of their own with one block a root."""
        names = [*self.control_types]
        tables["raw.negative_controls"] = pd.DataFrame(
            {"study_id": "small", "negative_control": names, "control_type": [*self.control_types.values()]}, dtype=str
        )
        if not names:
            return
        place = {"slice_id": "all", "grouping_id": "negative_control", "study_id": "small"}
        factor = {**place, "grouping_position": 1, "factor": "negative_control", "factor_position": 0}
        del factor["slice_id"]
        values = pd.concat(self.control_values)
        keys = ["system_id", "measure_id", "calibration", "category", "group_position", "root_position"]
        cells = values.groupby(keys, as_index=False).agg(cell_mean=("x", "mean"), n_responses=("x", "size"))
        cells = cells.assign(block_position=cells.root_position, statistic="mean", parameters="", n_prompts=1, **place)
        root, control = np.divmod(np.arange(n_roots * len(names)), len(names))
        first = len(tables["intermediate.int_prompt_groups"])
        prompts = pd.DataFrame(
            {
                "prompt_id": [f"c{at}_{of}" for at, of in zip(root, control, strict=True)],
                "group_position": control,
                "block_position": root,
                "root_position": root,
                "prompt_position": first + np.arange(len(root)),
                "group_id": np.array(names)[control],
                "scheme": "blocked",
                "unit_factor": None,
                "root_prompt_position": root,
                "unit_id": [f"u{at}" for at in root],
                "stratum_position": np.nan,
                **place,
            }
        )
        more = {
            "raw.groupings": pd.DataFrame([factor]),
            "intermediate.int_cells": cells,
            "intermediate.int_prompt_groups": prompts,
            "intermediate.int_values": values.drop(columns=["group_position", "root_position"]).assign(
                study_id="small"
            ),
        }
        for name, rows in more.items():
            tables[name] = pd.concat([tables[name], rows[[*tables[name]]]], ignore_index=True)

    def miss(self, measure_id, n_missing, *, system_id="model", scale=None):
        """Say how many answers of each root prompt and group have no value of a measure, and its scale."""
        if scale is not None:
            self.scales[measure_id] = scale
        n_missing = np.asarray(n_missing, dtype=int)
        self.missing += [
            (system_id, measure_id, root, group, n_missing[root, group]) for root, group in np.argwhere(n_missing > 0)
        ]
        return self

    def label(self, measure_id, y, *, system_id="model"):
        """Add what people say of answers, shape (root prompts, groups[, replicates]): NaN is not given to them."""
        y = np.asarray(y, dtype=float)
        y = y[:, :, None] if y.ndim == 2 else y
        of = [
            part
            for part in self.values
            if (part.measure_id == measure_id).all() and (part.system_id == system_id).all()
        ]
        values = of[0].assign(y=y[of[0].root, of[0].group, of[0].replicate]).dropna(subset="y")
        self.labels.append(
            pd.DataFrame(
                {
                    "system_id": system_id,
                    "measure_id": measure_id,
                    "prompt_id": "p" + values.root.astype(str) + "_" + values.group.astype(str),
                    "replicate": values.replicate,
                    "y": values.y.replace(np.inf, np.nan),  # given to people, who left it blank
                    "m": values.x,
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
        with is_stratum and left_out_because.
        """
        values = pd.concat(self.values)
        values["root_position"] = values.root // blocks_of_root
        values["prompt_id"] = "p" + values.root.astype(str) + "_" + values.group.astype(str)
        keys = ["system_id", "measure_id", "calibration", "category", "group", "root", "root_position"]
        cells = values.groupby(keys, as_index=False).agg(cell_mean=("x", "mean"), n_responses=("x", "size"))
        cells = cells.rename(columns={"group": "group_position", "root": "block_position"})
        place = {"slice_id": "all", "grouping_id": "gender", "study_id": "small"}
        cells = cells.assign(**place)
        if shuffle is not None:
            cells = cells.sample(frac=1, random_state=shuffle)
        cells = pd.concat([cells.assign(statistic="mean", parameters=""), *self.selected])
        silent = pd.DataFrame(
            [(root, group) for *_, root, group, _ in self.missing], columns=["root", "group"], dtype=int
        )
        silent["root_position"] = silent.root // blocks_of_root
        silent["prompt_id"] = "p" + silent.root.astype(str) + "_" + silent.group.astype(str)
        prompts = pd.concat([values, silent])[["prompt_id", "group", "root", "root_position"]].drop_duplicates()
        more = [prompts.assign(prompt_id=prompts.prompt_id + f"_{at}") for at in range(1, n_prompts)]
        prompts = pd.concat([prompts, *more])
        prompts = prompts.assign(
            prompt_position=range(len(prompts)),
            group_id="g" + prompts.group.astype(str),
            scheme="blocked" if strata is None else "nested",
            unit_factor=None,
            root_prompt_position=prompts.root_position,
            unit_id="u" + prompts.root_position.astype(str),
            stratum_position=np.nan if strata is None else np.asarray(strata)[prompts.root_position],
        )
        ranges = values.dropna(subset="baseline").assign(
            low=lambda rows: rows[["x", "baseline"]].min(axis=1), high=lambda r: r[["x", "baseline"]].max(axis=1)
        )
        ranges = ranges.groupby(["system_id", "measure_id", "calibration"], as_index=False)
        tables = {
            "raw.measures": pd.DataFrame(
                {
                    "study_id": "small",
                    "measure_id": list(self.measures),
                    "kind": list(self.measures.values()),
                    "direction": list(self.directions.values()),
                    "scorer": "made_up",
                    "scale_low": [self.scales.get(name, (np.nan, np.nan))[0] for name in self.measures],
                    "scale_high": [self.scales.get(name, (np.nan, np.nan))[1] for name in self.measures],
                }
            ),
            "raw.statistics": pd.DataFrame(statistic_rows(["mean", *self.statistics])),
            "raw.measure_slices": pd.DataFrame(
                {"study_id": "small", "measure_id": list(self.measures), "slice_id": "all"}
            ),
            "raw.groupings": pd.DataFrame(
                {
                    **{"study_id": ["small"], "grouping_id": ["gender"], "grouping_position": 0},
                    **{"factor": "gender", "factor_position": 0},
                }
            ),
            **self._systems(),
            "raw.ground_truths": pd.DataFrame(columns=list(TRUTHS), dtype=str),
            "intermediate.int_truth_answers": pd.DataFrame(columns=list(TRUTH_COLUMNS), dtype=str),
            "intermediate.int_model_factors": pd.DataFrame({"study_id": ["small"], "factor": ["role"]}),
            "intermediate.int_settings": pd.DataFrame(
                columns=["slice_id", "grouping_id", "held_factors", "left_out_factors"], dtype=str
            ),
            "intermediate.int_cells": cells,
            "intermediate.int_missing_answers": pd.DataFrame(
                [(system, measure, f"p{root}_{group}", n) for system, measure, root, group, n in self.missing],
                columns=["system_id", "measure_id", "prompt_id", "n_missing"],
            )
            .astype({"system_id": str, "measure_id": str, "prompt_id": str, "n_missing": int})
            .assign(study_id="small"),
            "intermediate.int_blocking_factors": pd.DataFrame(
                [("all", "gender", *factor) for factor in factors],
                columns=["slice_id", "grouping_id", "factor", "is_stratum", "left_out_because"],
            ),
            "intermediate.int_values": values.drop(columns=["group", "root", "root_position"]).assign(study_id="small"),
            "intermediate.int_selected_answers": self._selected_answers(prompts, place),
            "intermediate.int_value_ranges": ranges.agg(value_low=("low", "min"), value_high=("high", "max")).assign(
                slice_id="all"
            ),
            "intermediate.int_prompt_groups": prompts.rename(
                columns={"group": "group_position", "root": "block_position"}
            ).assign(**place),
        }
        if self.labels:
            labels = pd.concat(self.labels)
            tables |= {"intermediate.int_labelled_answers": labels, "raw.human_labels": labels.assign(value=labels.y)}
        self._with_controls(tables, int(values.root_position.max()) + 1)
        asked = tables["intermediate.int_prompt_groups"][["prompt_id"]].drop_duplicates()
        tables["intermediate.int_answers"] = asked.assign(asked_prompt_id=asked.prompt_id, system_id="")
        connection = duckdb.connect()
        connection.execute("create schema raw; create schema intermediate")
        for name, frame in tables.items():
            connection.register("frame", pa.Table.from_pandas(frame, preserve_index=False))
            connection.execute(f"create table {name} as select * from frame")
            connection.unregister("frame")
        return connection

    def _selected_answers(self, prompts, place):
        """Which answers are selected, of the prompts of one table."""
        keys = ["system_id", "measure_id", "calibration", "category", "statistic", "parameters"]
        columns = [*keys, "prompt_position", "replicate", "is_selected"]
        if not self.selected_answers:
            return pd.DataFrame(columns=columns, dtype=str).assign(**place)
        found = pd.concat(self.selected_answers).merge(prompts[["root", "group", "prompt_position"]])
        return found.assign(is_selected=found.x == 1)[columns].assign(**place)

    def _systems(self):
        """What is known of generations and units, beside their values; nothing of responses and subgroups."""
        values = pd.concat(self.values)
        names = np.array([*dict.fromkeys([*values.system_id, *self.silent])], dtype=object)
        prompt_id = "p" + values.root.astype(str) + "_" + values.group.astype(str)
        silent = values[["system_id", "replicate"]].assign(prompt_id=prompt_id, response_text=None)
        counts = ["outcome_position", "slice_id", "grouping_id", "group_id", "unit_id", "n", "k"]
        return {
            "raw.systems": pd.DataFrame({"system_id": names}).assign(is_baseline=names == "baseline", is_engine=False),
            "raw.system_factors": pd.DataFrame(
                [
                    (name, factor, level)
                    for name in names
                    for factor, level in {"system": name, **self.levels.get(name, {})}.items()
                ],
                columns=["system_id", "factor", "level"],
            ),
            "raw.prompts": pd.DataFrame({"unit_id": [f"u{root}" for root in sorted(values.root.unique())]}),
            "raw.responses": self.responses if len(self.responses) else silent.drop_duplicates(),
            "raw.measurements": pd.DataFrame({"prompt_id": "", "reason": None}, index=self.scorers.index)
            .astype(object)
            .assign(**self.scorers),
            "raw.subgroup_ideals": pd.DataFrame({"statistic": ["deviation_rate"], "ideal": 0.0}),
            "intermediate.int_subgroup_units": pd.DataFrame(columns=counts, dtype=str),
            "intermediate.int_outcomes": pd.DataFrame(
                columns=["outcome_position", "system_id", "measure_id"], dtype=str
            ),
            "intermediate.int_subgroup_sums": pd.DataFrame(
                columns=["slice_id", "measure_id", "grouping_id", "system_id", "n_responses", "n_deviating"], dtype=str
            ),
        }

    def answer(self, **texts):
        """The texts of generations, each of the same prompts."""
        rows = [(name, at, 0, text) for name, of in texts.items() for at, text in enumerate(of)]
        self.responses = pd.DataFrame(rows, columns=list(self.responses))
        return self

    def measured_by(self, **versions):
        """The version of the extractor that each generation was measured by."""
        self.scorers = pd.DataFrame(
            [(measure, name, version, 1.0, "") for measure in self.measures for name, version in versions.items()],
            columns=list(self.scorers),
        )
        return self

    def select(self, measure_id, threshold=0.0):
        """Add the share of each cell of a measure that is at least the threshold."""
        values = next(part for part in self.values if (part.measure_id == measure_id).all())
        selection = {"statistic": "selection_rate", "parameters": f"standard=fixed({threshold:g})"}
        share = values.assign(x=(values.x >= threshold).astype(float), root_position=values.root)
        self.selected_answers.append(share.assign(**selection))
        keys = ["system_id", "measure_id", "calibration", "category", "group", "root", "root_position"]
        cells = share.groupby(keys, as_index=False).agg(cell_mean=("x", "mean"), n_responses=("x", "size"))
        cells = cells.rename(columns={"group": "group_position", "root": "block_position"})
        self.selected.append(
            cells.assign(n_prompts=1, slice_id="all", grouping_id="gender", study_id="small", **selection)
        )
        return self


@pytest.fixture
def study():
    """An empty study to add measures to."""
    return Study()

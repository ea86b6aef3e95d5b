"""Controls beside groups, in memory: cells of their own, and every number of groups as it is without them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from python_assets.importers.table import FILE, ROW_COLUMN, table_of_rows
from python_assets.library.in_memory import run_in_memory
from python_assets.study_file.load import load_study
from python_assets.warehouse.progress import SILENT

GROUPS = ["a", "b", "c"]
CONTROLS = {"car": "colour", "rain": "weather", "day": "weekday", "page": "page"}
STUDY = """
factors: {level: {levels: [a, b, c]}}
prompts:
  import:
    path: t.parquet
    columns: {prompt: [prompt, level], root_prompt: prompt, system: model, replicate: auto}
    factors: {level: level, topic: topic, side: side}
systems: [{name: "*", provider: replay}]
measures:
  - {name: score, kind: continuous, column: value, scale: [-5, 5]}
  - {name: hit, kind: binary, column: hit}
slices: {each: topic, ends: {side: end}}
groupings: [level, topic]
analysis:
  permutations: 99
  statistics: [mean, variance, {selection_rate: {standard: mean}}]
  regressions: {hits: {measure: hit, factors: [topic, system]}}
  association_tests: true
"""
LEFT_ALONE = {
    "coverage": "*",
    "outcome_distributions": "* exclude (ci_low, ci_high)",
    "subgroups": "study_id, slice_id, system_id, measure_id, grouping_id, group_id, n_responses, deviation_rate",
    "association_tests": "* exclude (p_value_permutation, null_q95, scope)",
    "factor_models": "* exclude (q_value, n_hypotheses)",
    "repetition_consistency": "*",
    "variance_components": "*",
    "summary_statistics": "slice_id, system_id, measure_id, grouping_id, group_id, statistic, value, n_responses",
    "contrasts": "slice_id, system_id, measure_id, calibration, grouping_id, group_id, contrast, value",
    "disparities": "slice_id, system_id, measure_id, grouping_id, metric, statistic, parameters, value",
    "system_comparisons": "slice_id, system_id, measure_id, grouping_id, group_id, comparison, value",
}


def table():
    draws = np.random.default_rng(1)
    return pd.DataFrame(
        [
            {
                "prompt": f"p{root}",
                "level": level,
                "topic": "x" if root % 2 else "y",
                "side": "middle" if level == "b" else "end",
                "model": model,
                "value": draws.normal() + (3 if level in CONTROLS else 0),
                "hit": bool(draws.integers(2)),
            }
            for root in range(12)
            for level in [*GROUPS, *CONTROLS]
            for model in ("m", "n")
            for _ in range(2)
            if not (level == "page" and root > 3)
        ]
    )


def results(rows, controls):
    study = load_study(Path("mine.yml"), check_files=False, text=f"{STUDY}{controls}")
    rows = rows.assign(**{FILE: "t.parquet", ROW_COLUMN: range(1, len(rows) + 1)})
    return run_in_memory(study, table_of_rows(study, rows, [], needs_levels=True), SILENT)


@pytest.fixture(scope="module")
def with_controls():
    levels = ", ".join(f"{name}: {of}" for name, of in CONTROLS.items())
    return results(table(), f"negative_controls: {{levels: {{{levels}}}}}\n")


@pytest.fixture(scope="module")
def without():
    rows = table()
    return results(rows[rows.level.isin(GROUPS)].reset_index(drop=True), "")


def test_controls_reach_the_cells_of_every_slice_one_of_a_third_of_the_prompts_too(with_controls):
    query = """
        select slice_id, group_id, count(distinct unit_id) as n from int_prompt_groups
        where grouping_id = 'negative_control' group by all
    """
    with_controls.make(["int_prompt_groups"])
    found = with_controls._connection.execute(query.replace("from int", "from intermediate.int")).df()
    counts = found.pivot(index="group_id", columns="slice_id", values="n").to_dict("index")
    assert counts["page"] == {"all": 4, "ends": 4, "x": 2, "y": 2}
    assert counts["car"] == {"all": 12, "ends": 12, "x": 6, "y": 6}


def test_the_mart_has_a_row_of_each(with_controls):
    found = with_controls.sql("select negative_control, control_type, n_prompts, n_root_prompts, n_words "
                              "from negative_controls order by control_position")  # fmt: skip
    assert found["control_type"].tolist() == [*CONTROLS.values()]
    assert found["n_root_prompts"].tolist() == [12, 12, 12, 4]
    assert found["n_words"].isna().all()


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_numbers_of_groups_are_those_of_the_study_without_controls(with_controls, without, name):
    def rows(found):
        table = found.sql(f"select {LEFT_ALONE[name]} from {name}")
        if "grouping_id" in table:
            table = table[table["grouping_id"] != "negative_control"]
        return table.sort_values([*table.columns], ignore_index=True)

    assert len(rows(without)) > 0
    pd.testing.assert_frame_equal(rows(with_controls), rows(without))


def test_controls_are_in_no_association_regression_coverage_or_subgroup(with_controls):
    for name in ("association_tests", "subgroups", "variance_components"):
        assert with_controls.sql(f"from {name} where grouping_id = 'negative_control'").empty
    assert with_controls.sql("from coverage where factors = 'negative_control'").empty

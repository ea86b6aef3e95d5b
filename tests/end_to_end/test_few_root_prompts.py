"""Two root prompts in several wordings each, answered unequally often: answers are compared one by one.

Wordings weigh alike in every number (inference.md 2.1), however many of their answers have a value.
"""

import textwrap
from itertools import product

import numpy as np
import pandas as pd
import pytest

from tests.end_to_end.conftest import in_memory

STUDY = """
title: Two root prompts in several wordings
factors:
  group: {type: domain}
prompts:
  import:
    path: answers.csv
    columns: {prompt: [item, wording, group], root_prompt: item, system: model, response: answer, replicate: auto}
    factors: {group: group}
unit: root_prompt
systems: [{name: "*", provider: replay}]
measures:
  - {name: score, kind: continuous, column: score, direction: higher_better}
  - {name: biased, kind: binary, column: biased, direction: higher_worse}
  - {name: stance, kind: categorical, column: stance}
groupings: [group]
analysis:
  permutations: 99
  bootstrap: 200
  statistics: [mean, {selection_rate: {standard: {fixed: 0.0}, method: larger}}]
  contrasts: [dbi, selection_rate_difference]
"""


def answers():
    rng = np.random.default_rng(5)
    n_answers = {key: rng.integers(1, 6) for key in product("pq", range(3), ("young", "old", "rich"))}
    rows = [
        {"item": item, "wording": wording, "group": group, "model": "m", "answer": f"said {replicate}"}
        for (item, wording, group), n in n_answers.items()
        for replicate in range(n)
    ]
    table = pd.DataFrame(rows)
    table["score"] = rng.normal(size=len(table)).round(3) + table["wording"]
    table["biased"] = (rng.random(len(table)) < 0.4).astype(int)
    table["stance"] = rng.choice(["yes", "no"], len(table))
    return table


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    folder = tmp_path_factory.mktemp("few")
    (folder / "few_root_prompts.yml").write_text(textwrap.dedent(STUDY), encoding="utf-8")
    answers().to_csv(folder / "answers.csv", index=False)
    return in_memory(folder / "few_root_prompts.yml")


@pytest.mark.parametrize(
    ("contrast", "measure", "category", "x"),
    [
        ("mean_difference", "score", "", lambda rows: rows["score"]),
        ("risk_difference", "biased", "", lambda rows: rows["biased"]),
        ("risk_difference", "stance", "yes", lambda rows: rows["stance"] == "yes"),
        ("selection_rate_difference", "score", "", lambda rows: rows["score"] > 0),
    ],
)
def test_wordings_weigh_alike_in_what_is_published(few, contrast, measure, category, x):
    rows = answers()
    cells = rows.assign(x=x(rows).astype(float)).groupby(["item", "group", "wording"]).x.mean()
    cells = cells.groupby(["item", "group"]).mean().unstack()
    expected = {group: (cells[group] - cells.drop(columns=group).mean(axis=1)).mean() for group in cells}
    found = few.rows(
        """
        select group_id, value, method, p_value is not null from contrasts
        where study_id = 'few_root_prompts' and system_id = 'm' and slice_id = 'all' and calibration = 'raw'
            and contrast = ? and measure_id = ? and category = ?
        """,
        contrast,
        measure,
        category,
    )
    assert {group: value for group, value, *_ in found} == pytest.approx(expected, abs=1e-12)
    assert all("replicates" in method and has_p for *_, method, has_p in found)

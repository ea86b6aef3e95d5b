"""The account of a study: the questions that plan --preregister lists are those of the run, each with what it came
to."""

import csv
import json
from itertools import product

import duckdb
import pandas as pd
import pytest

from python_assets.infer.tables import HYPOTHESIS

KEYS = [*HYPOTHESIS, "reference_system_id", "family_id"]
GENDERS = {"woman": 0.0, "man": 0.0, "other": -1.0}
N_ROOTS = {"north": 12, "south": 2}  # too few to test anything in the south
# what a model thinks of a group, beside noise; silent: nothing is read of it; northern: not asked in the south
MODELS = {"even": 0.0, "hostile": 1.0, "silent": 0.0, "northern": 0.0}
STUDY = """
title: Every outcome
factors:
  gender: {levels: [woman, man, other]}
  region: {levels: [north, south]}
prompts:
  import:
    path: answers.csv
    columns: {prompt: prompt, root_prompt: root, system: model, response: response, replicate: auto}
    factors: {gender: gender, region: region}
systems: [{name: "*", provider: replay}]
slices: {each: region}
groupings: [gender]
measures:
- {name: kind, column: kind, kind: continuous}
- {name: praise, column: praise, kind: continuous}
- {name: side, choices: ["yes", "no"]}
analysis:
  statistics: [mean, variance]
  permutations: 999
  seed: 3
  margins: {praise: {mean_difference: 0.5}}
  primary: {measures: [kind, praise, side, refusal], slices: [all, north, south]}
"""


def answers():
    """Answers with scores beside them: kind differs by group where a model is hostile, praise never by much."""
    for (model, weight), region in product(MODELS.items(), N_ROOTS):
        if model == "northern" and region == "south":
            continue
        for root, (place, gender) in product(range(N_ROOTS[region]), enumerate(GENDERS)):
            noise = ((7 * root + 5 * place + 3 * len(model)) % 11 - 5) / 50
            is_silent = model == "silent"
            yield {
                "prompt": f"{region} {root} {gender}",
                "root": f"{region} {root}",
                "model": model,
                "gender": gender,
                "region": region,
                "response": "" if is_silent else ("Yes." if (root + place) % 2 else "No."),
                "kind": "" if is_silent else weight * GENDERS[gender] + noise,
                "praise": "" if is_silent else noise / 10,
            }


@pytest.fixture(scope="module")
def told(make_home, plumbline, tmp_path_factory):
    """What the plan froze, the published account, and the lines of the run and of a plan after it."""
    folder, home = tmp_path_factory.mktemp("studies"), make_home()
    rows = list(answers())
    with (folder / "answers.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    (folder / "everything.yml").write_text(STUDY, encoding="utf-8")
    said = []
    for arguments in (("plan", "--preregister", "everything"), ("run", "everything"), ("plan", "everything")):
        done = plumbline(home, *arguments, PLUMBLINE_STUDIES=str(folder))
        assert done.returncode == 0, done.stderr
        said.append(done.stdout)
    (preregistered,) = (home / "preregistrations" / "everything.jsonl").read_text(encoding="utf-8").splitlines()
    with duckdb.connect(str(home / "plumbline.duckdb"), read_only=True) as connection:
        account = connection.execute("from hypotheses").df()
        findings = connection.execute("from findings").df()
    return {
        "preregistered": json.loads(preregistered)["hypotheses"],
        "account": account,
        "findings": findings,
        "said": said,
    }


def test_a_plan_lists_the_hypotheses_that_the_run_accounts_for(told):
    listed = sorted(tuple(row[key] for key in KEYS) for row in told["preregistered"])
    accounted = sorted(told["account"][KEYS].itertuples(index=False, name=None))
    assert listed == accounted
    assert len(set(listed)) == len(listed)


@pytest.mark.parametrize(
    ("system", "measure", "slice_id", "reference", "statistic", "outcome", "reason"),
    [
        ("hostile", "kind", "all", "", "mean", "significant", None),
        ("even", "kind", "all", "", "mean", "inconclusive", None),
        ("even", "praise", "all", "", "mean", "equivalent", None),
        ("even", "kind", "south", "", "mean", "not_testable", "too_few_root_prompts"),
        ("even", "refusal", "all", "", "mean", "not_observed", "no_variation"),
        ("silent", "kind", "all", "", "mean", "not_observed", "missing_in_import"),
        ("silent", "side", "north", "", "share", "not_observed", "response_empty"),
        ("northern", "kind", "south", "", "mean", "not_asked", "not_asked"),
        ("northern", "side", "south", "", "share", "not_asked", "not_asked"),
        ("all", "side", "north", "", "share", "inconclusive", None),
        ("hostile", "kind", "all", "even", "groups_changed", "significant", None),
        ("northern", "kind", "north", "even", "mean_change", "inconclusive", None),
        ("silent", "kind", "all", "even", "groups_changed", "not_observed", "missing_in_import"),
        ("hostile", "refusal", "all", "even", "mean_change", "not_observed", "no_variation"),
        ("northern", "kind", "south", "even", "groups_changed", "not_asked", "not_asked"),
    ],
)
def test_a_declared_hypothesis_has_its_outcome(told, system, measure, slice_id, reference, statistic, outcome, reason):
    account = told["account"]
    is_of = (account.system_id == system) & (account.measure_id == measure) & (account.slice_id == slice_id)
    is_asked = (account.reference_system_id == reference) & (account.statistic == statistic)
    (row,) = account[is_of & is_asked & (account.calibration == "raw")].to_dict("records")
    assert row["outcome"] == outcome
    assert (row["reason"] if reason else pd.isna(row["reason"])) == (reason or True)
    assert pd.isna(row["p_value"]) == (reason is not None)


def test_findings_are_the_rows_of_groups_that_were_observed(told):
    account = told["account"]
    # what all models come to together is told beside them
    is_told = (account.reference_system_id == "") & (account.family_id != "pooled")
    observed = account[is_told & (account.n_responses > 0)]
    assert sorted(observed[HYPOTHESIS].itertuples(index=False, name=None)) == sorted(
        told["findings"][HYPOTHESIS].itertuples(index=False, name=None)
    )


def test_plan_and_run_say_where_nothing_is_scored(told):
    preregistered, run, after = told["said"]
    assert "primary: hostile, mean of kind" in preregistered
    assert run.splitlines()[0].startswith("WARNING    silent, kind: no response has a value: 42 ")
    warning = "- in the last run silent, kind"
    assert warning not in preregistered
    assert warning in after


def test_every_count_of_the_run_is_of_the_account(told):
    account = told["account"]
    (line,) = [line for line in told["said"][1].splitlines() if line.startswith("Questions  ")]
    for family_id, of_set in account.groupby("family_id"):
        assert f"{family_id}: {len(of_set)} questions, {(of_set.outcome == 'significant').sum()} significant" in line
    n_inconclusive = (account.outcome == "inconclusive").sum()
    assert f"Else       {n_inconclusive} questions open" in told["said"][1]

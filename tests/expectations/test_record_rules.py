"""The rules of seed quality_rules on studies from templates and tables, with what each counts."""

import csv
import json

import pandas as pd
import pytest

from expectations.runner import blocking, explain, run_suites
from python_assets.assemble.assemble_study import assemble
from python_assets.study_file.load import load_study
from python_assets.warehouse.build import open_build, write_stage
from python_assets.warehouse.paths import PROJECT

TEMPLATES = """
title: Who
factors:
  gender: {type: domain, levels: [Female, Male], texts: {Female: a woman, Male: an old man}}
  tone: {type: prompt, levels: [plain, warm]}
prompts:
  templates:
    cross: [gender]
    texts:
      - {id: loan, factors: {tone: plain}, text: "Imagine {gender} at the bank. What now?"}
      - {id: name, factors: {tone: warm}, cross: [], text: "{name}, an heir, is here: is {name} kind?",
         units: {file: names.csv, nested_in: [gender]}}
systems: [{name: fair, provider: simulator}]
measures:
  - {name: trade, taxonomy: {labels: {'Shops, "malls"': [stores], Farms: []}, steps: [exact, synonyms]}}
slices: {each: tone}
groupings: [gender]
"""
TABLE = """
title: Who
factors: {gender: {type: domain, levels: [Female, Male]}}
prompts:
  import:
    path: t.csv
    columns: {prompt: [id, gender], root_prompt: id, prompt_text: text, response: answer}
    factors: {gender: gender}
systems: [{name: told, provider: replay}]
groupings: [gender]
"""


@pytest.fixture
def templates(tmp_path):
    (tmp_path / "s.yml").write_text(TEMPLATES, encoding="utf-8")
    names = "name,gender\nÉlodie O'Neil,Female\nAnn (Jr.),Female\nBob,Male\n"
    (tmp_path / "names.csv").write_text(names, encoding="utf-8")
    return load_study(tmp_path / "s.yml")


@pytest.fixture
def build(tmp_path):
    with open_build(tmp_path / "s.duckdb") as opened:
        yield opened


def result(build, study, table, name):
    found = [one for one in run_suites(build, study, [table], run_id="r") if one.expectation == name]
    assert len(found) == 1
    return found[0]


def test_texts_names_pronouns_and_articles_are_slots(build, templates):
    assemble(templates, build)
    found = result(build, templates, "prompts", "expect_only_slots_differ")
    # two prompts of the loan, three names in one root prompt each with its own wording
    assert (found.success, found.n_unexpected, found.severity) == (True, 0, "warning")
    assert found.n_evaluated == 5


def test_another_word_in_the_prompt_of_one_group_is_found(build, templates):
    assemble(templates, build)
    build.execute("update raw.prompts set prompt_text = replace(prompt_text, 'bank', 'old bank') where not is_root")
    found = result(build, templates, "prompts", "expect_only_slots_differ")
    assert (found.success, found.n_unexpected) == (False, 1)
    [example] = json.loads(found.examples_json)
    assert example["masked_text"] == "Imagine {} at the old bank. What now?"
    assert example["masked_root"] == "Imagine {} at the bank. What now?"


def test_another_word_in_the_messages_of_one_group_is_found(build, tmp_path, templates):
    said = [{"role": "user", "content": "I know {gender}."}, {"role": "assistant", "content": "Who is that?"}]
    told = TEMPLATES.replace("{id: loan,", f"{{id: loan, messages: {json.dumps(said)},")
    (tmp_path / "s.yml").write_text(told, encoding="utf-8")
    study = load_study(tmp_path / "s.yml")
    assemble(study, build)
    assert result(build, study, "prompts", "expect_only_slots_differ").success
    assert result(build, study, "prompts", "expect_messages_in_turns").n_evaluated == 2
    other = "update raw.prompts set messages_json = replace(messages_json, 'know', 'met') where not is_root"
    build.execute(other)
    found = result(build, study, "prompts", "expect_only_slots_differ")
    [example] = json.loads(found.examples_json)
    assert (found.success, example["masked_text"].startswith("I met {}.")) == (False, True)


def imported(tmp_path, rows):
    (tmp_path / "t.csv").write_text("id,gender,text,answer\n" + rows, encoding="utf-8")
    (tmp_path / "s.yml").write_text(TABLE, encoding="utf-8")
    return load_study(tmp_path / "s.yml")


def test_prompts_of_a_table_may_speak_of_him_and_her(build, tmp_path):
    rows = "1,Female,A female CEO: what does she do?,x\n1,Male,A male CEO: what does he do?,x\n"
    study = imported(tmp_path, rows + "2,Female,A female cook.,x\n2,Male,A male driver.,x\n")
    assemble(study, build)
    found = result(build, study, "prompts", "expect_only_slots_differ")
    assert (found.n_unexpected, found.n_evaluated) == (1, 4)


def test_a_study_that_scrapes_has_checks_of_its_own_for_branches(connection, study):
    names = {one.expectation for one in run_suites(connection, study, ["prompts"], run_id="r")}
    assert "expect_only_slots_differ" not in names
    assert "expect_branch_like_root" in names


def responses(build, study, texts):
    """One response a prompt; None is blank."""
    assemble(study, build)
    prompts = [name for (name,) in build.execute("select prompt_id from raw.prompts order by all").fetchall()]
    system = {"system_id": "fair", "provider": "simulator"} | dict.fromkeys(
        ["model", "system_prompt", "decoding_json", "extensions_json", "model_details_json"], ""
    )
    flags = {"is_refused": False, "is_truncated": False}
    rows = pd.DataFrame(
        [
            {"prompt_id": name, "response_text": text, "is_empty": text is None, **flags}
            for name, text in zip(prompts, texts, strict=True)
        ]
    ).assign(system_id="fair", replicate=0, response_id="r", status="ok")
    systems = pd.DataFrame([system]).assign(is_simulated=True, is_baseline=False)
    write_stage(build, study.study_id, "generate", {"responses": rows, "systems": systems})


def test_blank_outputs_are_counted_and_stay(build, templates):
    responses(build, templates, ["a", None, "c", "d", "e"])
    found = result(build, templates, "responses", "expect_outputs")
    assert (found.n_unexpected, found.n_evaluated, found.success, found.severity) == (1, 5, False, "warning")
    assert build.execute("select count(*) from raw.responses").fetchone() == (5,)


def test_every_designed_cell_of_a_slice_has_its_responses(build, templates):
    responses(build, templates, ["a", "b", "c", "d", None])
    found = result(build, templates, "responses", "expect_responses_in_every_designed_cell")
    # plain and warm, each with two genders
    assert found.n_evaluated == 4
    empty = json.loads(found.examples_json)
    cells = build.execute(
        "select level from raw.prompt_factors where factor = 'gender' and prompt_id = "
        "(select prompt_id from raw.responses where is_empty)"
    ).fetchall()
    n_left = {"gender Female": 1, "gender Male": 0}
    [(level,)] = cells
    assert [row["n_responses"] for row in empty] == ([0] if n_left[f"gender {level}"] == 0 else [])


LABELS = ['shops, "malls"', "Farms", "stores", "Ships", "Farms"]


def measured(build, study, texts):
    from python_assets.extract.extract_study import extract

    responses(build, study, texts)
    extract(study, build, study.folder / "cache")
    return run_suites(build, study, ["measurements"], run_id="r")


def test_answers_outside_the_taxonomy_are_told_and_the_study_goes_on(build, templates, snapshot):
    results = measured(build, templates, LABELS)
    [found] = [one for one in results if one.expectation == "expect_taxonomy_coverage"]
    assert (found.n_unexpected, found.n_evaluated, found.severity) == (1, 5, "warning")
    assert not found.success
    assert found not in blocking(results)
    assert "analysis.quality.max_unscored_share" in explain([found])
    assert found.description in explain([found])
    assert found.description == snapshot


def test_a_larger_share_can_be_allowed_and_blank_answers_are_none(build, templates):
    quality = templates.analysis.quality.model_copy(update={"max_unscored_share": 0.25})
    analysis = templates.analysis.model_copy(update={"quality": quality})
    study = templates.model_copy(update={"analysis": analysis})
    [found] = [
        one for one in measured(build, study, [None, *LABELS[1:]]) if one.expectation == "expect_taxonomy_coverage"
    ]
    assert (found.n_unexpected, found.n_evaluated, found.success) == (1, 4, True)


def test_a_system_that_says_nothing_of_the_taxonomy_is_not_hidden_by_others(build, templates):
    measured(build, templates, ["Farms"] * 5)
    for i in range(30):
        build.execute(
            "insert into raw.measurements select * replace (? as system_id) from raw.measurements "
            "where system_id = 'fair'",
            [f"g{i}"],
        )
        build.execute(
            "insert into raw.systems select * replace (? as system_id) from raw.systems where system_id = 'fair'",
            [f"g{i}"],
        )
    build.execute(
        "update raw.measurements set label = null, reason = 'no_rule_matched' "
        "where system_id = 'g7' and measure_id = 'trade'"
    )
    found = result(build, templates, "measurements", "expect_taxonomy_coverage")
    assert found.unexpected_share < 0.05
    assert not found.success


def test_the_seed_names_the_expectations_that_count(build, templates):
    with (PROJECT / "dbt_models" / "seeds" / "quality_rules.csv").open(encoding="utf-8", newline="") as file:
        named = {(row["table_name"], row["expectation"]) for row in csv.DictReader(file)}
    measured(build, templates, ["Farms"] * 5)
    results = run_suites(build, templates, ["prompts", "responses", "measurements"], run_id="r")
    assert named <= {(one.table_name, one.expectation) for one in results}

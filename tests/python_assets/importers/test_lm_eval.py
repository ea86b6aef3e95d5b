"""The logs are written by lm_eval itself, with a model made up here."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from python_assets.errors import SourceError
from python_assets.importers.formats import read_import
from python_assets.study_file.load import load_study

REPLAY = [{"name": "*", "provider": "replay"}]
MEASURES = ["exact_match_first"]


@pytest.fixture(scope="session")
def logs(tmp_path_factory):
    """The folder of the logs: made-up__small and made-up__large."""
    folder = tmp_path_factory.mktemp("lm_eval")
    script = Path(__file__).with_name("write_lm_eval_logs.py")
    home = {**os.environ, "HF_HOME": str(folder / "home")}
    subprocess.run(
        [sys.executable, str(script), str(folder), "all"], check=True, env=home, capture_output=True
    )
    return folder


@pytest.fixture
def copied(logs, tmp_path):
    """Copy the log of a task with its results into the folder of the study; returns its name."""

    def copy(task, model="small"):
        (log,) = (logs / f"made-up__{model}").glob(f"samples_{task}_*.jsonl")
        shutil.copy(log, tmp_path / log.name)
        results = log.name.replace(f"samples_{task}", "results").replace(".jsonl", ".json")
        shutil.copy(log.with_name(results), tmp_path / results)
        return log.name

    return copy


@pytest.fixture
def read(make_study):
    def run(*names, options=None, measures=MEASURES, **parts):
        spec = {
            "format": "lm_eval",
            "path": list(names),
            "factors": {"gender": "person.gender"},
            "root_prompt": "scenario",
            **(options or {}),
        }
        study = make_study(
            {"import": spec}, check_files=True, measures=list(measures), generations=REPLAY, **parts
        )
        return read_import(study)

    return run


def problems(problem_texts, path, **options):
    named = {"factors": "{gender: person.gender}", **options}
    stated = ", ".join(f"{name}: {value}" for name, value in named.items())
    spec = f"{{import: {{format: lm_eval, path: '{path}', {stated}}}}}"
    return problem_texts(
        {"prompts": spec, "generations": "[{name: '*', provider: replay}]"}, check_files=True
    )


def rejected(imported):
    return [(row.record_key.rpartition(".jsonl:")[2], row.rule) for row in imported.quarantine]


def test_items_are_prompts_with_their_levels_and_repeats_are_replicates(copied, read):
    imported = read(copied("hiring"))
    prompts = imported.prompts.set_index("prompt_id")
    assert list(prompts["root_prompt_id"]) == [
        "hiring | loan",
        "hiring | loan",
        "hiring | job",
        "hiring | job",
    ]
    assert prompts.loc["hiring | 3", "prompt_text"] == "Should he get the job? Answer yes or no."
    levels = imported.prompt_factors.query("prompt_id == 'hiring | 3'").set_index("factor")["level"].to_dict()
    assert levels == {"gender": "he", "eval_task": "hiring"}
    rows = imported.rows.query("prompt_id == 'hiring | 3'")
    assert rows[["generation", "replicate", "response_text"]].values.tolist() == [
        ["made-up/small", 0, "no"],
        ["made-up/small", 1, "no"],
    ]
    assert (imported.n_rows, imported.quarantine) == (8, [])


def test_a_metric_stands_at_the_first_repeat_for_every_filter(copied, read):
    imported = read(copied("hiring"), measures=["exact_match_first", "exact_match_n"])
    columns = ["metrics.exact_match_first", "metrics.exact_match_n"]
    first = imported.rows.query("replicate == 0").set_index("prompt_id")[columns]
    assert first.loc["hiring | 0"].tolist() == [1, 0]
    assert first.loc["hiring | 3"].tolist() == [0, 0]
    assert imported.rows.query("replicate == 1")[columns].isna().all(axis=None)


def test_given_answers_have_metrics_and_no_text(copied, read):
    imported = read(copied("choosing"), measures=["acc"])
    assert imported.rows["metrics.acc"].tolist() == [1, 1, 1, 0]
    assert set(imported.rows["finish_reason"]) == {"not_recorded"}
    assert imported.rows["response_text"].isna().all()


def test_models_are_generations_and_further_factors_are_named_by_their_path(copied, read):
    names = [copied("hiring"), copied("hiring", "large")]
    imported = read(*names, options={"model_factors": {"called": "config.model_args.pretrained"}})
    assert set(imported.generation_factors["level"]) == {"made-up/small", "made-up/large"}
    assert set(imported.generation_factors["factor"]) == {"model", "called"}
    assert imported.rows["generation"].nunique() == 2


def test_the_metrics_are_the_measures_of_a_study_that_names_none(copied, tmp_path):
    name = copied("hiring")
    path = tmp_path / "mine.yml"
    path.write_text(
        f"prompts: {{import: {{format: lm_eval, path: {name}, factors: {{gender: person.gender}}}}}}\n"
        "generations: [{name: '*', provider: replay}]\n"
    )
    found = [(one.name, one.kind, one.column, one.direction) for one in load_study(path).measures]
    assert found == [
        ("exact_match_first", "binary", "metrics.exact_match_first", "higher_better"),
        ("exact_match_n", "binary", "metrics.exact_match_n", "higher_better"),
    ]


def test_the_same_log_twice_changes_nothing(copied, read):
    name = copied("hiring")
    once = read(name)
    twice = read(name, "samples_*.jsonl")
    assert twice.rows.equals(once.rows)
    assert (twice.n_rows, twice.quarantine) == (once.n_rows, [])


def test_two_logs_with_the_same_responses_are_told(copied, read, tmp_path):
    name = copied("hiring")
    again = name.replace(".jsonl", "1.jsonl")
    (tmp_path / again).write_text((tmp_path / name).read_text() + "\n\n")
    results = name.replace("samples_hiring", "results").replace(".jsonl", ".json")
    shutil.copy(tmp_path / results, tmp_path / results.replace(".json", "1.json"))
    with pytest.raises(SourceError, match="both hold the response of model_name made-up/small") as raised:
        read(name, again)
    assert "model_factors: {NAME: config.model_args.KEY}" in str(raised.value)


def test_a_log_cut_within_a_line_loses_that_line_and_those_after_by_count(copied, read, tmp_path):
    name = copied("choosing")
    whole = (tmp_path / name).read_text().splitlines(keepends=True)
    (tmp_path / name).write_text("".join(whole[:2]) + whole[2][: len(whole[2]) // 2])
    imported = read(name, measures=["acc"])
    assert len(imported.rows) == 2
    assert rejected(imported) == [("line 3", "unparseable"), ("missing item 1", "not_in_log")]
    assert "line 3 of samples_choosing" in imported.quarantine[0].detail
    assert "of the 4 items that its results count" in imported.quarantine[1].detail


def test_lines_that_are_no_samples_are_rejected_with_file_and_line(copied, read, tmp_path):
    name = copied("choosing")
    whole = (tmp_path / name).read_text().splitlines()
    another = json.dumps({**json.loads(whole[3]), "doc": {"person": {}, "scenario": "job"}})
    (tmp_path / name).write_text("\n".join([*whole[:2], '{"doc_id": 2}', another, whole[0]]) + "\n")
    imported = read(name, measures=["acc"])
    assert rejected(imported) == [
        ("line 3", "unparseable"),
        ("line 5", "duplicate_key"),
        ("row 4", "invalid_level"),
    ]
    assert "it has no doc, arguments, resps, filter, metrics" in imported.quarantine[0].detail


@pytest.mark.parametrize("version", ["0.5.0", "0.3.0", "1.0"])
def test_an_unknown_version_is_told(copied, problem_texts, tmp_path, version):
    name = copied("hiring")
    (results,) = tmp_path.glob("results_*.json")
    results.write_text(json.dumps({**json.loads(results.read_text()), "lm_eval_version": version}))
    (text,) = problems(problem_texts, name)
    assert f"expected logs of lm_eval 0.4, but {results} is of {version}" in text


def test_a_log_without_its_results_is_told(copied, problem_texts, tmp_path):
    name = copied("hiring")
    (results,) = tmp_path.glob("results_*.json")
    results.write_text(results.read_text()[:100])
    (text,) = problems(problem_texts, name)
    assert f"expected the results of lm_eval, but {results} is no whole JSON object" in text
    results.unlink()
    (text,) = problems(problem_texts, name)
    assert f"expected {results.name} beside " in text and text.endswith("put it there")


def test_a_log_under_another_name_is_told(copied, problem_texts, tmp_path):
    (tmp_path / copied("hiring")).rename(tmp_path / "mine.jsonl")
    (text,) = problems(problem_texts, "mine.jsonl")
    assert "expected a log that is called samples_<task>_<time>.jsonl" in text


def test_a_path_that_no_item_has_is_told_with_what_there_is(copied, problem_texts):
    (text,) = problems(problem_texts, copied("hiring"), factors="{gender: person.sex}")
    assert "expected logs with doc.person.sex, but none has it" in text
    assert "There are 'doc.person.gender', 'doc.scenario', 'doc.answer'" in text

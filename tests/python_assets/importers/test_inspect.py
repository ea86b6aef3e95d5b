"""The logs are written by Inspect itself, with its mock model."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pandas as pd
import pytest

from python_assets.errors import SourceError, StudyFileError
from python_assets.importers import inspect
from python_assets.importers.formats import read_import
from python_assets.texts.limits import MOST_UNPACKED_BYTES

pytestmark = pytest.mark.run

LOAN = "Should she get the loan?" + " Take your time." * 20
REPLAY = [{"name": "*", "provider": "replay"}]
FACTORS = {"gender": "person.gender"}


@pytest.fixture(scope="session")
def logs(tmp_path_factory):
    """The folder of the logs."""
    folder = tmp_path_factory.mktemp("inspect")
    script = Path(__file__).with_name("write_inspect_logs.py")
    home = {**os.environ, "XDG_DATA_HOME": str(folder / "home")}
    subprocess.run([sys.executable, str(script), str(folder), "all"], check=True, env=home)
    return folder


@pytest.fixture
def study_of(make_study, logs, tmp_path):
    """A study that imports logs, which lie beside it."""

    def make(*names, options=None, **parts):
        for name in names:
            shutil.copy(logs / name, tmp_path / name)
        spec = {
            "format": "inspect",
            "path": list(names),
            "factors": FACTORS,
            "root_prompt": "scenario",
            **(options or {}),
        }
        return make_study({"import": spec}, check_files=True, **{"systems": REPLAY, **parts})

    return make


@pytest.fixture
def read(study_of):
    def run(*names, measures=("match",), **others):
        return read_import(study_of(*names, measures=list(measures), **others))

    return run


def levels(imported, factor):
    found = imported.prompt_factors.query("factor == @factor")
    return dict(zip(found["prompt_id"], found["level"], strict=True))


def test_samples_are_prompts_with_their_metadata_and_epochs_are_replicates(read):
    imported = read("two_epochs.eval")
    prompts = imported.prompts.set_index("prompt_id")
    assert list(prompts.index) == [
        f"people | {scenario}_{person}" for scenario in ("loan", "job") for person in ("she", "he")
    ]
    assert list(prompts["root_prompt_id"]) == ["people | loan", "people | loan", "people | job", "people | job"]
    # a log keeps texts of more than 100 characters elsewhere
    assert prompts.loc["people | loan_she", "prompt_text"] == LOAN
    assert levels(imported, "gender")["people | job_he"] == "he"
    rows = imported.rows.query("prompt_id == 'people | loan_she'")
    assert rows[["replicate", "response_text"]].values.tolist() == [[0, "yes"], [1, "yes"]]
    assert (imported.n_rows, imported.quarantine) == (8, [])


def test_models_and_tasks_are_factors_and_their_pairs_systems(read):
    imported = read("two_epochs.eval", "other_model.eval")
    assert set(imported.rows["system"]) == {"mockllm/model | hiring", "mockllm/other | hiring"}
    found = imported.system_factors.values.tolist()
    assert ["mockllm/other | hiring", "model", "mockllm/other"] in found
    assert ["mockllm/other | hiring", "eval_task", "hiring"] in found


def test_correct_and_incorrect_are_one_and_zero_and_other_scores_what_they_are(read):
    scores = ["match", "parts_warmth", "parts_tone"]
    imported = read("two_epochs.eval", measures=scores)
    by_prompt = imported.rows.query("replicate == 1").set_index("prompt_id")
    columns = ["scores.match", "scores.parts.warmth", "scores.parts.tone"]
    assert by_prompt.loc["people | loan_she", columns].tolist() == [1, 0.25, "kind"]
    assert by_prompt.loc["people | loan_he", columns].tolist() == [0, 0.75, "cold"]


def test_the_scores_are_the_measures_of_a_study_that_names_none(tmp_path, logs):
    from python_assets.study_file.load import load_study

    path = tmp_path / "mine.yml"
    path.write_text(
        "prompts: {import: {format: inspect, factors: {gender: person.gender}, "
        f"path: {logs}/two_epochs.eval}}}}\n"
        "systems: [{name: '*', provider: replay}]\n"
    )
    study = load_study(path)
    assert [(one.name, one.kind, one.column) for one in study.measures] == [
        ("match", "binary", "scores.match"),
        ("includes", "binary", "scores.includes"),
        ("parts_warmth", "continuous", "scores.parts.warmth"),
        ("parts_tone", "categorical", "scores.parts.tone"),
    ]


def published(imported, scorer):
    """By reducer and metric: how it is computed again, or why not."""
    rows = imported.metrics.query("scorer == @scorer")
    told = rows["reason"].where(rows["reason"].notna(), rows["aggregation"])
    return dict(zip(zip(rows["reducer"], rows["metric"], strict=True), told, strict=True))


def test_every_metric_of_a_log_is_told_with_what_becomes_of_it(read):
    imported = read("metrics.eval", measures=["graded", "option"])
    found = published(imported, "graded")
    assert {reducer for reducer, _ in found} == {"mean", "median", "mode", "max", "at_least_2", "pass_at_2"}
    assert {metric: told for (reducer, metric), told in found.items() if reducer == "mode"} == {
        "accuracy": "mean",
        "stderr": "stderr",
        "std": "standard_deviation",
        "bootstrap_stderr": "stderr",
        "stderr2": "stderr",
        "ci: lower": "interval",
        "ci: upper": "interval",
    }
    caveats = imported.metrics.query("scorer == 'graded' and reducer == 'mode'").set_index("metric")["caveat"].dropna()
    assert caveats.to_dict() == {"bootstrap_stderr": "bootstrap", "stderr2": "clustered"}
    # letters are told by their share over all epochs; the study does not measure them
    assert set(published(imported, "letter").values()) == {"other_measures"}


def test_a_metric_of_groups_is_of_a_level_of_the_factor_that_is_read_there(read):
    imported = read(
        "metrics.eval", measures=["by_group"], options={"factors": {"topic": "scenario"}}, groupings=["topic"]
    )
    rows = imported.metrics.query("scorer == 'by_group' and reducer == 'mean'").set_index("metric")
    assert rows.loc["grouped: loan", ["group_factor", "group_level", "aggregation"]].tolist() == [
        "topic",
        "loan",
        "mean",
    ]
    assert rows.loc["grouped: all", "group_factor"] == ""
    assert rows.loc["grouped: 40", "reason"] == "group_not_imported"


def test_marks_are_numbers_and_letters_that_are_answers_stay_letters(read):
    imported = read("metrics.eval", measures=["graded", "letter", "option"])
    rows = imported.rows
    assert set(rows["scores.graded"]) == {1, 0, 0.5}
    # C, I, P and N too, where no metric counts them
    assert set(rows["scores.letter"]) == {"C", "N", "I", "P"}
    assert set(rows["scores.option"]) == {"A", "B", "C", "D"}
    assert set(published(imported, "letter").values()) == {"share"}


def test_a_sample_that_hit_a_limit_was_cut(read):
    assert set(read("limited.eval").rows["finish_reason"]) == {"length"}


def test_an_image_leaves_a_mark_in_the_prompt(read):
    imported = read("image.eval", options={"factors": {}, "root_prompt": None}, groupings=["document"])
    assert list(imported.prompts["prompt_text"]) == ["[image]\nWho is this?"]


def test_a_log_without_results_publishes_nothing(read):
    imported = read("killed.eval")
    assert imported.metrics.empty
    assert len(imported.samples) == 3


def test_samples_of_a_log_are_told_by_their_log(read):
    imported = read("two_epochs.eval", "other_model.eval")
    assert imported.samples.groupby(["log", "system_id"]).size().to_dict() == {
        ("other_model.eval", "mockllm_other___hiring"): 4,
        ("two_epochs.eval", "mockllm_model___hiring"): 8,
    }
    of_other = imported.metrics.query("log == 'other_model.eval' and metric == 'accuracy' and scorer == 'match'")
    assert of_other[["reducer", "n_published", "value_published"]].values.tolist() == [["", 4, 0.0]]


def test_systems_that_no_study_replays_have_no_metrics(study_of):
    study = study_of(
        "two_epochs.eval",
        "other_model.eval",
        measures=["match"],
        systems=[{"name": "mockllm_other___hiring", "provider": "replay"}],
    )
    metrics = read_import(study).metrics.query("scorer == 'match'")
    assert set(zip(metrics["log"], metrics["reason"], strict=True)) == {
        ("two_epochs.eval", "other_systems"),
        ("other_model.eval", None),
    }


def test_what_tells_runs_apart_is_a_factor_of_models(read):
    imported = read("again.eval", "benign.eval", options={"model_factors": {"temperature": "plan.config.temperature"}})
    found = imported.system_factors.query("factor == 'temperature'")["level"]
    assert sorted(found) == ["0.5", "none"]
    assert imported.rows["system"].nunique() == 2


def test_the_same_log_twice_changes_nothing(read, logs, tmp_path):
    once = read("two_epochs.eval")
    shutil.copy(logs / "two_epochs.eval", tmp_path / "copied.eval")
    twice = read("two_epochs.eval", options={"path": ["two_epochs.eval", "*.eval", "copied.eval"]})
    assert twice.rows.equals(once.rows)
    assert (twice.n_rows, twice.quarantine) == (once.n_rows, [])


def test_two_logs_with_the_same_responses_are_told_with_what_tells_them_apart(refused, read):
    with refused(SourceError, "prompts.import.path"):
        read("two_epochs.eval", "again.eval")


def test_how_answers_ended_is_kept(read):
    rows = read("endings.eval").rows.set_index("prompt_id")
    ended = rows[["response_text", "finish_reason"]].astype(object)
    assert ended.loc["people | loan_she"].tolist() == ["I would say", "max_tokens"]
    assert ended.loc["people | job_she", "finish_reason"] == "content_filter"
    assert ended.loc["people | job_he"].tolist() == ["no", "stop"]


def test_a_sample_that_failed_is_an_error_and_no_empty_answer(read):
    row = read("kept_on.eval").rows.set_index("prompt_id").loc["people | job_she"]
    assert row["error"] == "imported: RuntimeError('the server is gone')"


def test_messages_in_turns_stand_before_the_prompt_and_others_are_its_text_with_choices(read):
    imported = read("messages.eval", options={"factors": {}, "root_prompt": None}, groupings=["document"])
    texts = dict(zip(imported.prompts["prompt_id"], imported.prompts["prompt_text"], strict=True))
    assert texts == {
        "people | 1": "system: Be brief.\n\nuser: May she?",
        "people | 2": "Who?\nA) her\nB) him",
        "people | 3": "May she?\nA) yes\nB) no",
    }
    first, second, third = imported.prompts["messages_json"]
    assert pd.isna(first) and pd.isna(second)
    assert json.loads(third) == [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]
    assert list(imported.prompts["root_prompt_id"]) == ["people | 1", "people | 2", "people | 3"]


def test_samples_of_a_killed_run_are_read_and_the_missing_ones_counted(read):
    imported = read("killed.eval")
    assert len(imported.rows) == 3
    (missing,) = imported.quarantine
    assert (missing.record_key, missing.rule) == ("killed.eval:sample job_he epoch 1", "not_in_log")
    assert "whose status is started" in missing.detail and "inspect eval-retry" in missing.detail


def test_a_sample_that_was_declared_invalid_is_in_quarantine(read):
    imported = read("invalid.eval")
    (invalid,) = imported.quarantine
    assert (invalid.record_key, invalid.rule) == ("invalid.eval:row 1", "invalidated")
    assert len(imported.rows) == 3


def test_a_sample_without_the_metadata_is_in_quarantine_with_its_place(read, logs, tmp_path):
    imported = read(
        "messages.eval", "two_epochs.eval", options={"root_prompt": None, "path": ["messages.eval", "two_epochs.eval"]}
    )
    assert [(row.record_key, row.rule) for row in imported.quarantine] == [
        ("messages.eval:row 1", "invalid_level"),
        ("messages.eval:row 2", "invalid_level"),
        ("messages.eval:row 3", "invalid_level"),
    ]


@pytest.mark.parametrize("share", [0, 0.25, 0.5, 0.99])
def test_a_log_that_was_cut_is_told_before_anything_runs(mistaken, logs, tmp_path, share):
    whole = (logs / "two_epochs.eval").read_bytes()
    (tmp_path / "cut.eval").write_bytes(whole[: int(share * len(whole))])
    assert problems(mistaken, "cut.eval") == ["prompts.import.path"]


def test_a_log_with_a_hole_is_told(refused, read, study_of, logs, tmp_path):
    study = study_of("two_epochs.eval", measures=["match"])
    data = bytearray((logs / "two_epochs.eval").read_bytes())
    at = data.index(b"samples/loan_he_epoch_1.json")
    data[at + 100 : at + 600] = bytes(500)
    (tmp_path / "two_epochs.eval").write_bytes(data)
    with refused(SourceError, "prompts.import.path"):
        read_import(study)


def test_a_part_that_unpacks_to_more_than_memory_holds_is_refused(mistaken, tmp_path):
    with ZipFile(tmp_path / "large.eval", "w", ZIP_DEFLATED) as packed:
        packed.writestr("header.json", bytes(MOST_UNPACKED_BYTES + 1))
    assert problems(mistaken, "large.eval") == ["prompts.import.path"]


# what a worker does is looked at in this process where the test changes it
def test_a_log_of_another_schema_is_told(refused, study_of, monkeypatch):
    study = study_of("again.eval", measures=["match"])
    monkeypatch.setattr(inspect, "SCHEMA_VERSION", 1)
    with refused(SourceError, "prompts.import.path"):
        inspect._described(study)


def test_an_inspect_that_is_absent_or_too_old_is_told_with_the_command(refused, study_of, monkeypatch):
    study = study_of("again.eval", measures=["match"])
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    with refused(SourceError, "prompts.import.path"):
        inspect._described(study)


@pytest.mark.parametrize("path", ["absent.eval", "log.json", "*.eval"])
def test_a_path_that_names_no_log_is_told(mistaken, tmp_path, path):
    (tmp_path / "log.json").write_text("{}")
    assert problems(mistaken, path) == ["prompts.import.path"]


def test_metadata_that_no_sample_has_is_told_with_what_there_is(mistaken, logs, tmp_path):
    shutil.copy(logs / "again.eval", tmp_path / "again.eval")
    assert problems(mistaken, "again.eval", factors="{gender: person.sex}") == ["prompts.import.path"]


def test_an_argument_that_no_log_has_is_told(mistaken, logs, tmp_path):
    shutil.copy(logs / "again.eval", tmp_path / "again.eval")
    assert problems(mistaken, "again.eval", model_factors="{role: eval.task_args.role}") == ["prompts.import.path"]


def test_a_score_that_no_log_has_is_told(refused, study_of):
    with refused(StudyFileError, "prompts.import.path[0]"):
        study_of("again.eval", measures=[{"name": "kind", "kind": "binary", "column": "scores.kind"}])


def test_columns_are_told(mistaken):
    assert problems(mistaken, "again.eval", columns="{prompt: id}") == ["prompts.import"]


def problems(mistaken, path, **options):
    named = {"factors": "{gender: person.gender}", **options}
    stated = ", ".join(f"{name}: {value}" for name, value in named.items())
    return mistaken(
        {
            "prompts": f"{{import: {{format: inspect, path: '{path}', {stated}}}}}",
            "systems": "[{name: '*', provider: replay}]",
        },
        check_files=True,
    )

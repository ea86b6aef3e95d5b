"""The logs are written by Inspect itself, with its mock model."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from python_assets.errors import SourceError
from python_assets.importers import inspect
from python_assets.importers.formats import read_import
from python_assets.study.problems import StudyFileError

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
        return make_study({"import": spec}, check_files=True, **{"generations": REPLAY, **parts})

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
    assert list(prompts["root_prompt_id"]) == [
        "people | loan",
        "people | loan",
        "people | job",
        "people | job",
    ]
    # a log keeps texts of more than 100 characters elsewhere
    assert prompts.loc["people | loan_she", "prompt_text"] == LOAN
    assert levels(imported, "gender")["people | job_he"] == "he"
    rows = imported.rows.query("prompt_id == 'people | loan_she'")
    assert rows[["replicate", "response_text"]].values.tolist() == [[0, "yes"], [1, "yes"]]
    assert (imported.n_rows, imported.quarantine) == (8, [])


def test_models_and_tasks_are_factors_and_their_pairs_generations(read):
    imported = read("two_epochs.eval", "other_model.eval")
    assert set(imported.rows["generation"]) == {"mockllm/model | hiring", "mockllm/other | hiring"}
    found = imported.generation_factors.values.tolist()
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
        "generations: [{name: '*', provider: replay}]\n"
    )
    study = load_study(path)
    assert [(one.name, one.kind, one.column) for one in study.measures] == [
        ("match", "binary", "scores.match"),
        ("includes", "binary", "scores.includes"),
        ("parts_warmth", "continuous", "scores.parts.warmth"),
        ("parts_tone", "categorical", "scores.parts.tone"),
    ]


def test_what_tells_runs_apart_is_a_factor_of_models(read):
    imported = read(
        "again.eval",
        "benign.eval",
        options={"model_factors": {"temperature": "plan.config.temperature"}},
    )
    found = imported.generation_factors.query("factor == 'temperature'")["level"]
    assert sorted(found) == ["0.5", "none"]
    assert imported.rows["generation"].nunique() == 2


def test_the_same_log_twice_changes_nothing(read, logs, tmp_path):
    once = read("two_epochs.eval")
    shutil.copy(logs / "two_epochs.eval", tmp_path / "copied.eval")
    twice = read("two_epochs.eval", options={"path": ["two_epochs.eval", "*.eval", "copied.eval"]})
    assert twice.rows.equals(once.rows)
    assert (twice.n_rows, twice.quarantine) == (once.n_rows, [])


def test_two_logs_with_the_same_responses_are_told_with_what_tells_them_apart(read):
    with pytest.raises(SourceError) as raised:
        read("two_epochs.eval", "again.eval")
    assert "two_epochs.eval and again.eval both hold the response of model mockllm/model" in str(raised.value)
    assert "id loan_she, epoch 1" in str(raised.value)
    assert str(raised.value).endswith("model_factors: {NAME: eval.task_args.ARGUMENT}.")


def test_how_answers_ended_is_kept(read):
    rows = read("endings.eval").rows.set_index("prompt_id")
    ended = rows[["response_text", "finish_reason"]].astype(object)
    assert ended.loc["people | loan_she"].tolist() == ["I would say", "max_tokens"]
    assert ended.loc["people | job_she", "finish_reason"] == "content_filter"
    assert ended.loc["people | job_he"].tolist() == ["no", "stop"]


def test_a_sample_that_failed_is_an_error_and_no_empty_answer(read):
    row = read("kept_on.eval").rows.set_index("prompt_id").loc["people | job_she"]
    assert row["error"] == "imported: RuntimeError('the server is gone')"


def test_several_messages_and_choices_are_the_text_of_a_prompt(read):
    imported = read("messages.eval", options={"factors": {}, "root_prompt": None}, groupings=["document"])
    texts = dict(zip(imported.prompts["prompt_id"], imported.prompts["prompt_text"], strict=True))
    assert texts == {
        "people | 1": "system: Be brief.\n\nuser: May she?",
        "people | 2": "Who?\nA) her\nB) him",
    }
    assert list(imported.prompts["root_prompt_id"]) == ["people | 1", "people | 2"]


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
        "messages.eval",
        "two_epochs.eval",
        options={"root_prompt": None, "path": ["messages.eval", "two_epochs.eval"]},
    )
    assert [(row.record_key, row.rule) for row in imported.quarantine] == [
        ("messages.eval:row 1", "invalid_level"),
        ("messages.eval:row 2", "invalid_level"),
    ]


@pytest.mark.parametrize("share", [0, 0.25, 0.5, 0.99])
def test_a_log_that_was_cut_is_told_before_anything_runs(problem_texts, logs, tmp_path, share):
    whole = (logs / "two_epochs.eval").read_bytes()
    (tmp_path / "cut.eval").write_bytes(whole[: int(share * len(whole))])
    (text,) = problems(problem_texts, "cut.eval")
    assert text.startswith('prompts.import.path: got "cut.eval"; expected ')
    assert "cut.eval cannot be read as a log of Inspect" in text
    assert text.endswith("copy it again, or recover it with `inspect log recover`")


def test_a_log_with_a_hole_is_told(read, study_of, logs, tmp_path):
    study = study_of("two_epochs.eval", measures=["match"])
    data = bytearray((logs / "two_epochs.eval").read_bytes())
    at = data.index(b"samples/loan_he_epoch_1.json")
    data[at + 100 : at + 600] = bytes(500)
    (tmp_path / "two_epochs.eval").write_bytes(data)
    with pytest.raises(SourceError, match="two_epochs.eval cannot be read as a log of Inspect"):
        read_import(study)


def test_a_part_that_unpacks_to_more_than_memory_holds_is_refused(problem_texts, logs, tmp_path, monkeypatch):
    monkeypatch.setattr(inspect, "MOST_UNPACKED_BYTES", 1_000)
    shutil.copy(logs / "again.eval", tmp_path / "again.eval")
    (text,) = problems(problem_texts, "again.eval")
    assert "again.eval cannot be read as a log of Inspect (ValueError: a part unpacks to " in text


def test_a_log_of_another_schema_is_told(problem_texts, logs, tmp_path, monkeypatch):
    monkeypatch.setattr(inspect, "SCHEMA_VERSION", 1)
    shutil.copy(logs / "again.eval", tmp_path / "again.eval")
    (text,) = problems(problem_texts, "again.eval")
    assert "expected a log of schema version 1" in text and "again.eval is of 2" in text
    assert text.endswith("or take a version of Plumbline that reads it")


def test_an_inspect_that_is_absent_or_too_old_is_told_with_the_command(
    problem_texts, logs, tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    shutil.copy(logs / "again.eval", tmp_path / "again.eval")
    (text,) = problems(problem_texts, "again.eval")
    assert "need inspect_ai 0.3.285 or newer" in text
    assert text.endswith("install it: pip install 'plumbline[inspect]'")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("absent.eval", "there is none at"),
        ("log.json", "a log that ends in .eval"),
        ("*.eval", "no file matches"),
    ],
)
def test_a_path_that_names_no_log_is_told(problem_texts, tmp_path, path, expected):
    (tmp_path / "log.json").write_text("{}")
    (text,) = problems(problem_texts, path)
    assert expected in text


def test_metadata_that_no_sample_has_is_told_with_what_there_is(problem_texts, logs, tmp_path):
    shutil.copy(logs / "again.eval", tmp_path / "again.eval")
    (text,) = problems(problem_texts, "again.eval", factors="{gender: person.sex}")
    assert "expected logs with metadata.person.sex, but none has it" in text
    assert "There are 'metadata.person.gender', 'metadata.scenario', 'metadata.age'" in text


def test_an_argument_that_no_log_has_is_told(problem_texts, logs, tmp_path):
    shutil.copy(logs / "again.eval", tmp_path / "again.eval")
    (text,) = problems(problem_texts, "again.eval", model_factors="{role: eval.task_args.role}")
    assert "expected logs with eval.task_args.role, but none has it" in text


def test_a_score_that_no_log_has_is_told(study_of):
    with pytest.raises(
        StudyFileError, match="expected logs with scores.kind, but none has it. There are 'sc"
    ):
        study_of("again.eval", measures=[{"name": "kind", "kind": "binary", "column": "scores.kind"}])


def test_columns_are_told(problem_texts):
    (text,) = problems(problem_texts, "again.eval", columns="{prompt: id}")
    assert text.endswith("expected no columns or task: format inspect has them; remove them")


def problems(problem_texts, path, **options):
    named = {"factors": "{gender: person.gender}", **options}
    stated = ", ".join(f"{name}: {value}" for name, value in named.items())
    return problem_texts(
        {
            "prompts": f"{{import: {{format: inspect, path: '{path}', {stated}}}}}",
            "generations": "[{name: '*', provider: replay}]",
        },
        check_files=True,
    )

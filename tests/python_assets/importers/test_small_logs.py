"""Logs of a few answers, written here: those that Inspect and lm_eval write themselves are read in make test-long."""

import json
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from python_assets.importers.formats import read_import
from python_assets.study_file.load import load_study

PEOPLE = {"loan_she": "C", "loan_he": "I", "job_she": "I", "job_he": "C"}


@pytest.fixture
def imported(tmp_path):
    """What is read of a log beside the study; the study names no measure."""

    def read(log_format, path):
        (tmp_path / "mine.yml").write_text(
            f"prompts: {{import: {{format: {log_format}, path: '{path}', root_prompt: scenario, "
            "factors: {gender: person.gender}}}\n"
            "systems: [{name: '*', provider: replay}]\n"
        )
        study = load_study(tmp_path / "mine.yml")
        return study, read_import(study)

    return read


def _person(name):
    scenario, gender = name.split("_")
    return {"scenario": scenario, "person": {"gender": gender}}


def asked_of(name):
    """As a data set may have it: a text, one message, turns."""
    text = f"Should {name.split('_')[1]} get it?"
    return {
        "loan_she": text,
        "loan_he": [{"role": "user", "content": text}],
        "job_she": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}],
        "job_he": [
            {"role": "user", "content": "Hi."},
            {"role": "assistant", "content": "Hello.", "source": "generate"},
            {"role": "user", "content": text},
        ],
    }[name]


def told(metrics):
    columns = ["measure_id", "scorer", "metric", "aggregation", "value_published", "n_published"]
    return list(metrics[columns].itertuples(index=False, name=None))


def write_inspect(path):
    at = "2026-01-01T00:00:00+00:00"
    spec = {"run_id": "r", "created": at, "task": "hiring", "task_id": "t", "task_version": 0, "task_file": None}
    spec |= {"dataset": {"name": "people", "samples": 5, "sample_ids": [*PEOPLE, "lost"]}, "model": "made/model"}
    spec |= {"config": {"epochs": 1}}
    summaries = []
    with ZipFile(path, "w", ZIP_DEFLATED) as log:
        log.writestr("_journal/start.json", json.dumps({"version": 2, "eval": spec, "plan": {}}))
        for name, mark in PEOPLE.items():
            scores = {"match": {"value": mark}, "parts": {"value": {"warmth": 0.25, "tone": "kind"}}}
            shared = {"id": name, "epoch": 1, "input": asked_of(name), "target": "yes", "metadata": _person(name)}
            shared |= {"choices": ["yes", "no"], "scores": scores}
            message = {"role": "assistant", "content": f"for {name}", "source": "generate"}
            output = {"model": "made/model", "choices": [{"message": message, "stop_reason": "stop"}]}
            sample = shared | {"messages": [], "output": output, "store": {}, "events": [], "attachments": {}}
            log.writestr(f"samples/{name}_epoch_1.json", json.dumps(sample))
            summaries.append(shared | {"completed": True})
        log.writestr("summaries.json", json.dumps(summaries))
        scored = {
            "name": "match",
            "scorer": "match",
            "scored_samples": 4,
            "metrics": {"accuracy": {"name": "accuracy", "value": 0.5}},
        }
        results = {"total_samples": 5, "completed_samples": 4, "scores": [scored]}
        header = {"version": 2, "status": "success", "eval": spec, "plan": {}, "results": results}
        log.writestr("header.json", json.dumps(header | {"stats": {"started_at": at, "completed_at": at}}))
    return path.name


def test_a_log_of_inspect(imported, tmp_path):
    study, found = imported("inspect", write_inspect(tmp_path / "hiring.eval"))
    prompts = found.prompts.set_index("prompt_id")
    assert prompts["prompt_text"].to_dict() == {
        "people | loan_she": "Should she get it?\nA) yes\nB) no",
        "people | loan_he": "Should he get it?\nA) yes\nB) no",
        "people | job_she": "system: Be brief.\n\nuser: Should she get it?\nA) yes\nB) no",
        "people | job_he": "Should he get it?\nA) yes\nB) no",
    }
    assert json.loads(prompts.messages_json["people | job_he"]) == [
        {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": "Hello."},
    ]
    assert prompts["root_prompt_id"].tolist() == ["people | loan", "people | loan", "people | job", "people | job"]
    assert [(one.name, one.kind, one.column) for one in study.measures] == [
        ("match", "binary", "scores.match"),
        ("parts_warmth", "continuous", "scores.parts.warmth"),
        ("parts_tone", "categorical", "scores.parts.tone"),
    ]
    rows = found.rows.set_index("prompt_id")
    assert rows["scores.match"].to_dict() == {f"people | {name}": float(mark == "C") for name, mark in PEOPLE.items()}
    assert rows["response_text"].tolist() == [f"for {name}" for name in PEOPLE]
    levels = found.prompt_factors.query("factor == 'gender'")["level"].tolist()
    assert levels == ["she", "he", "she", "he"]
    (missing,) = found.quarantine
    assert (missing.record_key, missing.rule) == ("hiring.eval:sample lost epoch 1", "not_in_log")
    assert told(found.metrics) == [("match", "match", "accuracy", "mean", 0.5, 4)]


def write_lm_eval(folder):
    name = "samples_hiring_2026-01-01T00-00-00.jsonl"
    with (folder / name).open("w", encoding="utf-8") as log:
        for number, (person, mark) in enumerate(PEOPLE.items()):
            line = {"doc_id": number, "doc": _person(person), "target": "yes", "filter": "none"}
            line |= {"arguments": {"gen_args_0": {"arg_0": asked_of("loan_she"), "arg_1": {"until": ["\n"]}}}}
            line |= {"resps": [[f"for {person}"]], "filtered_resps": [f"for {person}"]}
            log.write(json.dumps(line | {"metrics": ["exact_match"], "exact_match": float(mark == "C")}) + "\n")
    metrics = [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}]
    results = {
        "model_name": "made/model",
        "lm_eval_version": "0.4.13",
        "configs": {"hiring": {"output_type": "generate_until", "metric_list": metrics}},
        "results": {"hiring": {"exact_match,none": 0.5}},
        "n-samples": {"hiring": {"effective": 4}},
    }
    (folder / "results_2026-01-01T00-00-00.json").write_text(json.dumps(results), encoding="utf-8")
    return name


def test_a_log_of_lm_eval(imported, tmp_path):
    study, found = imported("lm_eval", write_lm_eval(tmp_path))
    assert found.prompts["root_prompt_id"].tolist() == [
        "hiring | loan",
        "hiring | loan",
        "hiring | job",
        "hiring | job",
    ]
    assert [(one.name, one.kind, one.direction) for one in study.measures] == [("exact_match", "binary", None)]
    rows = found.rows.set_index("prompt_id")
    assert rows["metrics.exact_match"].tolist() == [1, 0, 0, 1]
    assert rows["response_text"].tolist() == [f"for {name}" for name in PEOPLE]
    assert found.system_factors["level"].tolist() == ["made/model"]
    assert told(found.metrics) == [("exact_match", "", "exact_match", "mean", 0.5, 4)]
    assert found.quarantine == []

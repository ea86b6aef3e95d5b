"""The logs are written by lm_eval itself, with a model made up here."""

import json
import math
import os
import shutil
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from sklearn.metrics import f1_score, matthews_corrcoef

from bench.bench_large_logs import write_lm_eval
from python_assets.errors import SourceError
from python_assets.importers.formats import read_import
from python_assets.importers.lm_eval import _items
from python_assets.study_file.load import load_study

pytestmark = pytest.mark.run

REPLAY = [{"name": "*", "provider": "replay"}]
MEASURES = ["exact_match_first"]


@pytest.fixture(scope="session")
def logs(tmp_path_factory):
    """The folder of the logs: made-up__small and made-up__large."""
    folder = tmp_path_factory.mktemp("lm_eval")
    script = Path(__file__).with_name("write_lm_eval_logs.py")
    home = {**os.environ, "HF_HOME": str(folder / "home")}
    subprocess.run([sys.executable, str(script), str(folder), "all"], check=True, env=home, capture_output=True)
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
        study = make_study({"import": spec}, check_files=True, measures=list(measures), systems=REPLAY, **parts)
        return read_import(study)

    return run


def problems(mistaken, path, **options):
    named = {"factors": "{gender: person.gender}", **options}
    stated = ", ".join(f"{name}: {value}" for name, value in named.items())
    spec = f"{{import: {{format: lm_eval, path: '{path}', {stated}}}}}"
    return mistaken({"prompts": spec, "systems": "[{name: '*', provider: replay}]"}, check_files=True)


def rejected(imported):
    return [(row.record_key.rpartition(".jsonl:")[2], row.rule) for row in imported.quarantine]


def test_items_are_prompts_with_their_levels_and_repeats_are_replicates(copied, read):
    imported = read(copied("hiring"))
    prompts = imported.prompts.set_index("prompt_id")
    assert list(prompts["root_prompt_id"]) == ["hiring | loan", "hiring | loan", "hiring | job", "hiring | job"]
    assert prompts.loc["hiring | 3", "prompt_text"] == "Should he get the job? Answer yes or no."
    levels = imported.prompt_factors.query("prompt_id == 'hiring | 3'").set_index("factor")["level"].to_dict()
    assert levels == {"gender": "he", "eval_task": "hiring"}
    rows = imported.rows.query("prompt_id == 'hiring | 3'")
    assert rows[["system", "replicate", "response_text"]].values.tolist() == [
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


def test_models_are_systems_and_further_factors_are_named_by_their_path(copied, read):
    names = [copied("hiring"), copied("hiring", "large")]
    imported = read(*names, options={"model_factors": {"called": "config.model_args.pretrained"}})
    assert set(imported.system_factors["level"]) == {"made-up/small", "made-up/large"}
    assert set(imported.system_factors["factor"]) == {"model", "called"}
    assert imported.rows["system"].nunique() == 2


def test_the_metrics_are_the_measures_of_a_study_that_names_none(copied, tmp_path):
    name = copied("hiring")
    path = tmp_path / "mine.yml"
    path.write_text(
        f"prompts: {{import: {{format: lm_eval, path: {name}, factors: {{gender: person.gender}}}}}}\n"
        "systems: [{name: '*', provider: replay}]\n"
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


def test_two_logs_with_the_same_responses_are_told(refused, copied, read, tmp_path):
    name = copied("hiring")
    again = name.replace(".jsonl", "1.jsonl")
    (tmp_path / again).write_text((tmp_path / name).read_text() + "\n\n")
    results = name.replace("samples_hiring", "results").replace(".jsonl", ".json")
    shutil.copy(tmp_path / results, tmp_path / results.replace(".json", "1.json"))
    with refused(SourceError, "prompts.import.path") as raised:
        read(name, again)
    assert "model_factors: {NAME: config.model_args.KEY}" in str(raised.value)


def test_a_log_cut_within_a_line_loses_that_line_and_those_after_by_count(copied, read, tmp_path, snapshot):
    name = copied("choosing")
    whole = (tmp_path / name).read_text().splitlines(keepends=True)
    (tmp_path / name).write_text("".join(whole[:2]) + whole[2][: len(whole[2]) // 2])
    imported = read(name, measures=["acc"])
    assert len(imported.rows) == 2
    assert rejected(imported) == [("line 3", "unparseable"), ("missing item 1", "not_in_log")]
    assert "line 3 of samples_choosing" in imported.quarantine[0].detail
    assert imported.quarantine[1].detail == snapshot


def test_lines_that_are_no_samples_are_rejected_with_file_and_line(copied, read, tmp_path, snapshot):
    name = copied("choosing")
    whole = (tmp_path / name).read_text().splitlines()
    another = json.dumps({**json.loads(whole[3]), "doc": {"person": {}, "scenario": "job"}})
    (tmp_path / name).write_text("\n".join([*whole[:2], '{"doc_id": 2}', another, whole[0]]) + "\n")
    imported = read(name, measures=["acc"])
    assert rejected(imported) == [("line 3", "unparseable"), ("line 5", "duplicate_key"), ("row 4", "invalid_level")]
    assert imported.quarantine[0].detail == snapshot


@pytest.mark.parametrize("version", ["0.5.0", "0.3.0", "1.0"])
def test_an_unknown_version_is_told(copied, mistaken, tmp_path, version):
    name = copied("hiring")
    (results,) = tmp_path.glob("results_*.json")
    results.write_text(json.dumps({**json.loads(results.read_text()), "lm_eval_version": version}))
    assert problems(mistaken, name) == ["prompts.import.path"]


def test_a_log_without_its_results_is_told(copied, mistaken, tmp_path):
    name = copied("hiring")
    (results,) = tmp_path.glob("results_*.json")
    results.write_text(results.read_text()[:100])
    assert problems(mistaken, name) == ["prompts.import.path"]
    results.unlink()
    assert problems(mistaken, name) == ["prompts.import.path"]


def test_a_log_under_another_name_is_told(copied, mistaken, tmp_path):
    (tmp_path / copied("hiring")).rename(tmp_path / "mine.jsonl")
    assert problems(mistaken, "mine.jsonl") == ["prompts.import.path"]


def test_a_path_that_no_item_has_is_told_with_what_there_is(copied, mistaken):
    assert problems(mistaken, copied("hiring"), factors="{gender: person.sex}") == ["prompts.import.path"]


def measures_of(name, tmp_path):
    path = tmp_path / "mine.yml"
    path.write_text(
        f"prompts: {{import: {{format: lm_eval, path: {name}, factors: {{gender: person.gender}}}}}}\n"
        "systems: [{name: '*', provider: replay}]\n"
    )
    return load_study(path)


def told(imported):
    """By metric: how it is computed again, or why not; those of groups of tasks left out."""
    metrics = imported.metrics.query("task != 'both'")
    return dict(zip(metrics["metric"], metrics["reason"].fillna(metrics["aggregation"]), strict=True))


def test_a_perplexity_is_of_log_likelihoods_of_which_more_is_better(copied, tmp_path):
    study = measures_of(copied("given", "metrics"), tmp_path)
    assert [(one.name, one.kind, one.direction) for one in study.measures] == [
        ("perplexity_log_likelihood", "continuous", "higher_better"),
        ("acc", "binary", "higher_better"),
    ]
    imported = read_import(study)
    values = imported.rows["metrics.perplexity_log_likelihood"].astype(float)
    published = imported.metrics.set_index("metric")["value_published"]["perplexity"]
    assert math.exp(-values.mean()) == pytest.approx(published)
    assert told(imported)["perplexity_stderr"] == "bootstrap"


def test_log_likelihoods_of_texts_are_by_word_or_byte_with_how_many_there_were(copied, tmp_path):
    imported = read_import(measures_of(copied("read", "metrics"), tmp_path))
    parts = imported.sample_parts.query("measure_id == 'word_perplexity_log_likelihood'")
    values = imported.rows["metrics.word_perplexity_log_likelihood"].astype(float)
    published = imported.metrics.set_index("metric")["value_published"]["word_perplexity"]
    mean = (values * parts["weight"].to_numpy()).sum() / parts["weight"].sum()
    assert math.exp(-mean) == pytest.approx(published)
    assert told(imported) == {
        "word_perplexity": "weighted_perplexity",
        "byte_perplexity": "weighted_perplexity",
        "bits_per_byte": "bits_per_byte",
    }


def test_pairs_of_labels_are_predictions_with_the_right_label_beside(copied, tmp_path):
    imported = read_import(measures_of(copied("judged", "metrics"), tmp_path))
    given = imported.rows["metrics.f1_prediction"]
    right = imported.sample_parts.query("measure_id == 'f1_prediction'")["true_label"]
    published = imported.metrics.set_index("metric")["value_published"]
    assert f1_score(list(right), list(given), pos_label="1") == pytest.approx(published["f1"])
    assert matthews_corrcoef(list(right), list(given)) == pytest.approx(published["mcc"])
    assert imported.rows["metrics.brier_score"].astype(float).mean() == pytest.approx(
        published["brier_score"], rel=1e-6
    )


def test_metrics_that_no_item_has_a_value_of_are_told_with_the_reason(copied, tmp_path, read):
    imported = read(copied("translated", "metrics"), measures=["vader"])
    assert told(imported) == dict.fromkeys(["bleu", "bleu_stderr", "chrf", "chrf_stderr"], "corpus_metric")


def test_metrics_of_a_group_of_tasks_are_told_once(copied, read):
    names = [copied("given", "metrics"), copied("judged", "metrics")]
    imported = read(*names, measures=["acc"])
    of_group = imported.metrics.query("task == 'both'")
    assert of_group[["metric", "reason"]].values.tolist() == [
        ["acc", "group_of_tasks"],
        ["acc_stderr", "group_of_tasks"],
    ]


def results_beside(tmp_path, change):
    """Change the results in the folder of the study."""
    (file,) = tmp_path.glob("results_*.json")
    found = json.loads(file.read_text())
    change(found)
    file.write_text(json.dumps(found))


@pytest.mark.parametrize("garbled", [None, "none", [], {"choosing": None}, {"choosing": ["acc"]}])
def test_a_log_whose_metrics_are_garbled_publishes_none(copied, read, tmp_path, garbled):
    name = copied("choosing")
    results_beside(tmp_path, lambda found: found.update(results=garbled))
    imported = read(name, measures=["acc"])
    assert imported.metrics.empty
    assert len(imported.samples) == 4


def test_numbers_that_are_none_and_unknown_aggregations_are_told(copied, read, tmp_path):
    name = copied("choosing")

    def garble(found):
        found["results"]["choosing"] |= {"acc_stderr,none": None, "own,none": 3, "acc,other": 0.5}
        found["configs"]["choosing"]["metric_list"] = [{"metric": "acc", "aggregation": "def best(items): ..."}, None]
        found["n-samples"] = "four"

    results_beside(tmp_path, garble)
    metrics = read(name, measures=["acc"]).metrics
    assert metrics[["metric", "scorer", "reason"]].values.tolist() == [
        ["acc", "", "aggregation_unknown"],
        ["acc_stderr", "", "bootstrap"],
        ["own", "", "no_sample_values"],
        ["acc", "other", "no_sample_values"],
    ]
    assert metrics["n_published"].isna().all()


def test_a_log_without_answers_or_a_readable_metric_is_told_and_not_measured_by_words(copied, mistaken, tmp_path):
    name = copied("choosing")
    lines = [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]
    (tmp_path / name).write_text("\n".join(json.dumps({**line, "acc": "yes"}) for line in lines))
    assert problems(mistaken, name) == ["prompts.import.path"]


def test_a_log_of_no_items_is_told(copied, mistaken, tmp_path):
    name = copied("hiring")
    (tmp_path / name).write_text("")
    assert problems(mistaken, name) == ["prompts.import.path"]


def test_messages_that_a_chat_server_was_sent_stand_before_the_prompt(copied, read, tmp_path):
    name = copied("hiring")
    samples = [json.loads(line) for line in (tmp_path / name).read_text(encoding="utf-8").splitlines()]
    shots = [{"role": "user", "content": "1?"}, {"role": "assistant", "content": "yes"}]
    for sample in samples:
        asked = [*shots, {"role": "user", "content": sample["arguments"]["gen_args_0"]["arg_0"], "type": "text"}]
        # as lm_eval hands chats to its servers: a tuple of one text, which JSON writes as a list
        sample["arguments"]["gen_args_0"]["arg_0"] = [json.dumps(asked)]
    plain = read(name).prompts["prompt_text"]
    (tmp_path / name).write_text("\n".join(map(json.dumps, samples)), encoding="utf-8")
    prompts = read(name).prompts
    assert [json.loads(one) for one in prompts["messages_json"]] == [shots] * len(prompts)
    assert list(prompts["prompt_text"]) == list(plain)


def test_of_a_log_no_more_is_stratum_than_is_read(tmp_path):
    # what is there of a log of 4 MB, at any time; bench/bench_large_logs.py reads one of 1 GB
    _, n_bytes = write_lm_eval(tmp_path, 4 * 1024**2)
    (log,) = tmp_path.glob("samples_*.jsonl")
    tracemalloc.start()
    try:
        items, quarantine = _items(log)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert quarantine == []
    assert sum(len(item.first["arguments"]["gen_args_0"]["arg_0"]) for item in items) > n_bytes / 20
    assert peak < n_bytes / 3

"""Writes the logs that test_lm_eval.py reads, with lm_eval and a model made up here: no network is asked.

A program of its own, as lm_eval is: python write_lm_eval_logs.py FOLDER all|worked|metrics [FOLDER ...].
"""

import json
import os
import sys
from functools import partialmethod
from importlib.metadata import version
from pathlib import Path

os.environ["DISABLE_MULTIPROC"] = "1"
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_DATASETS_OFFLINE"] = "1"

from lm_eval import evaluator, evaluator_utils
from lm_eval.__main__ import cli_evaluate
from lm_eval.api.model import LM
from lm_eval.api.registry import register_model
from lm_eval.tasks import TaskManager

ASKED = """
task: {name}
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: generate_until
doc_to_text: "Should {{{{person.gender}}}} get the {{{{scenario}}}}? Answer yes or no."
doc_to_target: "{{{{answer}}}}"
generation_kwargs: {{until: ["\\n"]}}
repeats: {repeats}
filter_list:
  - name: first
    filter: [{{function: take_first}}]
  - name: n
    filter: [{{function: regex, regex_pattern: "(n)"}}, {{function: take_first}}]
metric_list:
  - {{metric: exact_match, aggregation: mean, higher_is_better: true}}
"""
CHOSEN = """
task: {name}
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: multiple_choice
doc_to_text: "Should {{{{person.gender}}}} get the {{{{scenario}}}}?"
doc_to_target: 0
doc_to_choice: ["yes", "no"]
metric_list:
  - {{metric: acc, aggregation: mean, higher_is_better: true}}
"""
GIVEN = """
task: {name}
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: loglikelihood
doc_to_text: "Should {{{{person.gender}}}} get the {{{{scenario}}}}?"
doc_to_target: " {{{{answer}}}}"
metric_list: [{{metric: perplexity}}, {{metric: acc}}]
"""
READ = """
task: {name}
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: loglikelihood_rolling
doc_to_text: ""
doc_to_target: "Should {{{{person.gender}}}} get the {{{{scenario}}}}?"
metric_list: [{{metric: word_perplexity}}, {{metric: byte_perplexity}}, {{metric: bits_per_byte}}]
"""
JUDGED = """
task: {name}
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: multiple_choice
doc_to_text: "Should {{{{person.gender}}}} get the {{{{scenario}}}}?"
doc_to_target: "{{{{ 0 if answer == 'no' else 1 }}}}"
doc_to_choice: ["no", "yes"]
metric_list: [{{metric: acc}}, {{metric: f1}}, {{metric: mcc}}, {{metric: brier_score}}]
"""
TRANSLATED = """
task: {name}
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: generate_until
doc_to_text: "Should {{{{person.gender}}}} get the {{{{scenario}}}}?"
doc_to_target: "{{{{answer}}}}"
generation_kwargs: {{until: ["\\n"]}}
metric_list: [{{metric: bleu}}, {{metric: chrf}}]
"""
FEW_DRAWS = 20  # of a bootstrap, which has 100,000
METRICS = {"given": GIVEN, "read": READ, "judged": JUDGED, "translated": TRANSLATED}


@register_model("made_up")
class MadeUp(LM):
    """Says yes to her, and to him where a loan is asked for."""

    def __init__(self, **_):
        super().__init__()

    @staticmethod
    def _grants(text):
        return "she" in text or "loan" in text

    def generate_until(self, requests, disable_tqdm=False):
        return ["yes" if self._grants(request.args[0]) else "no" for request in requests]

    def loglikelihood(self, requests, disable_tqdm=False):
        said = [(request.args[1].strip() == "yes") == self._grants(request.args[0]) for request in requests]
        return [(-0.5 if is_said else -2.5, is_said) for is_said in said]

    def loglikelihood_rolling(self, requests, disable_tqdm=False):
        return [-float(len(request.args[0])) for request in requests]


def write_logs(folder, name, scenarios, *, task=ASKED, model="small", repeats=1):
    """Run lm_eval on one task.

    Args:
        folder: the log is written to <folder>/made-up__<model>/samples_<name>_<time>.jsonl.
        name: of the task.
        scenarios: what is asked for.
        task: the YAML of the task.
        model: its name behind made-up/.
        repeats: how often each item is asked.
    """
    write_task(folder, name, scenarios, task, repeats=repeats)
    run(folder, [name], model)


def write_task(folder, name, scenarios, task, *, repeats=1, answers=("yes", "yes")):
    """Write a task and its data: one item a person and scenario, to her and to him."""
    tasks = folder / "tasks" / name
    tasks.mkdir(parents=True, exist_ok=True)
    items = [
        {"person": {"gender": person}, "scenario": scenario, "answer": answer}
        for scenario in scenarios
        for person, answer in zip(("she", "he"), answers, strict=True)
    ]
    data = tasks / "items.jsonl"
    data.write_text("".join(json.dumps(item) + "\n" for item in items))
    (tasks / f"{name}.yaml").write_text(task.format(name=name, data=data, repeats=repeats))


# what lm_eval says of the machine, and its list of all of its own tasks, take longer than these tasks
evaluator.add_env_info = lambda storage: storage.update(lm_eval_version=version("lm_eval"))
TaskManager.__init__ = partialmethod(TaskManager.__init__, include_defaults=False)


def run(folder, names, model="small", *options):
    """Run lm_eval as its command line does."""
    sys.argv = [
        *("lm_eval", "--model", "made_up", "--model_args", f"pretrained=made-up/{model}", "--tasks", ",".join(names)),
        *("--include_path", str(folder / "tasks"), "--output_path", str(folder), "--log_samples", *options),
    ]
    cli_evaluate()


def write_metrics(folder):
    """The logs of tasks whose metrics are no means of numbers, and of a group of two."""
    for name, task in METRICS.items():
        write_task(folder, name, ["loan", "job", "flat"], task, answers=("yes", "no"))
    group = "group: both\ntask: [given, judged]\naggregate_metric_list: [{metric: acc}]\n"
    (folder / "tasks" / "both.yaml").write_text(group)
    of_many = evaluator_utils.stderr_for_metric
    evaluator_utils.stderr_for_metric = lambda metric, bootstrap_iters: of_many(metric, FEW_DRAWS)
    run(folder, ["both", "read", "translated"], "metrics")


def write(target, which):
    if which == "worked":
        write_logs(target, "hiring", [f"{'job' if n % 2 else 'loan'} {n}" for n in range(12)])
    elif which == "metrics":
        write_metrics(target)
    else:
        write_logs(target, "hiring", ["loan", "job"], repeats=2)
        write_logs(target, "hiring", ["loan", "job"], model="large")
        write_logs(target, "choosing", ["loan", "job"], task=CHOSEN)
        write_metrics(target)


if __name__ == "__main__":
    asked = sys.argv[1:]
    for target, which in zip(asked[::2], asked[1::2], strict=True):
        write(Path(target), which)

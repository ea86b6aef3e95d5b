"""Writes the logs that test_lm_eval.py reads, with lm_eval and a model made up here: no network is asked.

A program of its own, as lm_eval is: python write_lm_eval_logs.py FOLDER all|worked.
"""

import json
import os
import sys
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_DATASETS_OFFLINE"] = "1"

from lm_eval.__main__ import cli_evaluate
from lm_eval.api.model import LM
from lm_eval.api.registry import register_model

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
        raise NotImplementedError


def write_logs(folder, name, scenarios, *, task=ASKED, model="small", repeats=1):
    """Run lm_eval as its command line does, on one item a person and scenario.

    Args:
        folder: the log is written to <folder>/made-up__<model>/samples_<name>_<time>.jsonl.
        name: of the task.
        scenarios: what is asked for.
        task: the YAML of the task.
        model: its name behind made-up/.
        repeats: how often each item is asked.
    """
    tasks = folder / "tasks" / name
    tasks.mkdir(parents=True, exist_ok=True)
    items = [
        {"person": {"gender": person}, "scenario": scenario, "answer": "yes"}
        for scenario in scenarios
        for person in ("she", "he")
    ]
    data = tasks / "items.jsonl"
    data.write_text("".join(json.dumps(item) + "\n" for item in items))
    (tasks / f"{name}.yaml").write_text(task.format(name=name, data=data, repeats=repeats))
    sys.argv = [
        *("lm_eval", "--model", "made_up", "--model_args", f"pretrained=made-up/{model}", "--tasks", name),
        *("--include_path", str(tasks), "--output_path", str(folder), "--log_samples"),
    ]
    cli_evaluate()


if __name__ == "__main__":
    target, which = Path(sys.argv[1]), sys.argv[2]
    if which == "worked":
        write_logs(target, "hiring", [f"{'job' if n % 2 else 'loan'} {n}" for n in range(12)])
    else:
        write_logs(target, "hiring", ["loan", "job"], repeats=2)
        write_logs(target, "hiring", ["loan", "job"], model="large")
        write_logs(target, "choosing", ["loan", "job"], task=CHOSEN)

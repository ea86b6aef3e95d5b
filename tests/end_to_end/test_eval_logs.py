"""The worked examples of docs/imports.md on logs of other tools, which write them here themselves."""

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.end_to_end.conftest import in_memory

ROOT = Path(__file__).resolve().parents[2]
WRITERS = ROOT / "tests" / "python_assets" / "importers"


def worked_example(heading):
    """The study file that stands first below a heading of docs/imports.md."""
    page = (ROOT / "docs" / "imports.md").read_text(encoding="utf-8")
    return re.search(rf"^## {heading}$.*?^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[1]


METRICS = """
prompts:
  import: {{format: {format}, path: {path}, factors: {{gender: person.gender}}, root_prompt: scenario}}
systems: [{{name: "*", provider: replay}}]
groupings: [gender]
"""


@pytest.fixture(scope="module")
def write_example(tmp_path_factory):
    """Write a study file beside the logs of the worked example, or of metrics, which one call of a writer writes."""

    @cache
    def folder_of(writer):
        folder = tmp_path_factory.mktemp("examples")
        kinds = ("worked", "metrics")
        for kind in kinds:
            (folder / kind / "logs").mkdir(parents=True)
        asked = [argument for kind in kinds for argument in (str(folder / kind / "logs"), kind)]
        subprocess.run(
            [sys.executable, str(WRITERS / writer), *asked],
            check=True,
            env={**os.environ, "XDG_DATA_HOME": str(folder / "home"), "HF_HOME": str(folder / "home")},
        )
        return folder

    def write(text, name, writer, logs="worked"):
        path = folder_of(writer) / logs / f"{name}.yml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_log_of_inspect_is_compared_like_any_other_study(run_study, write_example):
    run = run_study(str(write_example(worked_example("Logs of Inspect"), "inspect_logs", "write_inspect_logs.py")))
    found = run.rows(
        """
        select c.value, c.n_root_prompts, c.verdict, g.provider
        from contrasts as c join systems as g using (study_id, system_id)
        where c.study_id = 'inspect_logs' and c.measure_id = 'match' and c.group_id = 'she'
          and c.contrast = 'risk_difference'
        """
    )
    # of 12 scenarios six are granted to her alone, the others to both
    assert found == [(pytest.approx(0.5), 12, "different", "replay")]
    model_factors = run.rows(
        """
        select factor, level from system_factors
        where study_id = 'inspect_logs' and factor in ('model', 'eval_task') order by factor
        """
    )
    assert model_factors == [("eval_task", "hiring"), ("model", "mockllm/model")]
    assert run.value("select count(*) from responses where study_id = 'inspect_logs' and status = 'ok'") == 48


def test_a_log_of_lm_eval_is_compared_like_any_other_study(write_example):
    run = in_memory(write_example(worked_example("Logs of lm_eval"), "lm_eval_logs", "write_lm_eval_logs.py"))
    found = run.rows(
        """
        select value, n_root_prompts, verdict from contrasts
        where study_id = 'lm_eval_logs' and measure_id = 'exact_match_first' and group_id = 'she'
          and contrast = 'risk_difference'
        """
    )
    # of 12 scenarios six are granted to her alone, the others to both
    assert found == [(pytest.approx(0.5), 12, "different")]
    levels = run.rows(
        """
        select distinct level from prompt_factors
        where study_id = 'lm_eval_logs' and factor = 'eval_task'
        """
    )
    assert levels == [("hiring",)]


def test_what_a_log_of_inspect_publishes_comes_out_again(write_example):
    text = METRICS.format(format="inspect", path="logs/metrics.eval")
    run = in_memory(write_example(text, "inspect_metrics", "write_inspect_logs.py", "metrics"))
    found = statuses(run, "inspect_metrics")
    # five metrics of 6 reducers; ends of intervals and metrics of groups that no factor tells are not computed
    assert found["graded", "accuracy"] == found["graded", "stderr"] == found["graded", "std"] == {("equal", None): 6}
    assert set(found["graded", "bootstrap_stderr"]) == {("different_by_design", "bootstrap")}
    assert set(found["graded", "stderr2"]) <= {("different_by_design", "clustered"), ("equal", None)}
    assert found["graded", "ci: lower"] == {("not_imported", "interval"): 6}
    assert found["by_group", "grouped: loan"] == {("not_imported", "group_not_imported"): 6}
    assert found["by_group", "grouped: all"] == found["option", "accuracy"] == {("equal", None): 6}
    assert found["letter", "frequency: N"] == {("equal", None): 1}


def test_what_a_log_of_lm_eval_publishes_comes_out_again(write_example):
    text = METRICS.format(format="lm_eval", path="'logs/*/samples_*.jsonl'")
    run = in_memory(write_example(text, "lm_eval_metrics", "write_lm_eval_logs.py", "metrics"))
    found = statuses(run, "lm_eval_metrics")
    for metric in ("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "f1", "mcc", "brier_score"):
        assert found["", metric] == {("equal", None): 1}, metric
    assert found["", "acc"] == {("equal", None): 2, ("not_imported", "group_of_tasks"): 1}
    assert found["", "bleu"] == {("not_imported", "corpus_metric"): 1}


def statuses(run, study_id):
    """How often each status and reason, by scorer and metric; nothing is different without a design."""
    rows = run.rows(
        f"""
        select scorer, metric, status, reason, count(*) from imported_metrics where study_id = '{study_id}'
        group by all
        """
    )
    found: dict = {}
    for scorer, metric, status, reason, n in rows:
        found.setdefault((scorer, metric), {})[status, reason] = n
    assert "different" not in {status for counts in found.values() for status, _ in counts}
    return found

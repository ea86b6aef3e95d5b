"""The worked examples of docs/studies.md on logs of other tools, which write them here themselves."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WRITERS = ROOT / "tests" / "python_assets" / "importers"


def worked_example(heading):
    """The study file that stands first below a heading of docs/studies.md."""
    page = (ROOT / "docs" / "studies.md").read_text(encoding="utf-8")
    return re.search(rf"^### {heading}$.*?^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[1]


@pytest.fixture(scope="module")
def run_example(run_study, tmp_path_factory):
    def run(heading, name, writer):
        folder = tmp_path_factory.mktemp(name)
        (folder / f"{name}.yml").write_text(worked_example(heading), encoding="utf-8")
        (folder / "logs").mkdir()
        subprocess.run(
            [sys.executable, str(WRITERS / writer), str(folder / "logs"), "worked"],
            check=True,
            env={**os.environ, "XDG_DATA_HOME": str(folder / "home"), "HF_HOME": str(folder / "home")},
        )
        return run_study(name, PLUMBLINE_STUDIES=str(folder))

    return run


def test_a_log_of_inspect_is_compared_like_any_other_study(run_example):
    run = run_example("Logs of Inspect", "inspect_logs", "write_inspect_logs.py")
    found = run.rows(
        """
        select c.value, c.n_root_prompts, c.verdict, g.provider
        from contrasts as c join generations as g using (study_id, generation_id)
        where c.study_id = 'inspect_logs' and c.measure_id = 'match' and c.group_id = 'she'
          and c.contrast = 'risk_difference'
        """
    )
    # of 12 scenarios six are granted to her alone, the others to both
    assert found == [(pytest.approx(0.5), 12, "difference_shown", "replay")]
    model_factors = run.rows(
        """
        select factor, level from generation_factors
        where study_id = 'inspect_logs' and factor in ('model', 'eval_task') order by factor
        """
    )
    assert model_factors == [("eval_task", "hiring"), ("model", "mockllm/model")]
    assert run.value("select count(*) from responses where study_id = 'inspect_logs' and status = 'ok'") == 48


def test_a_log_of_lm_eval_is_compared_like_any_other_study(run_example):
    run = run_example("Logs of lm_eval", "lm_eval_logs", "write_lm_eval_logs.py")
    found = run.rows(
        """
        select value, n_root_prompts, verdict from contrasts
        where study_id = 'lm_eval_logs' and measure_id = 'exact_match_first' and group_id = 'she'
          and contrast = 'risk_difference'
        """
    )
    # of 12 scenarios six are granted to her alone, the others to both
    assert found == [(pytest.approx(0.5), 12, "difference_shown")]
    levels = run.rows(
        """
        select distinct level from prompt_factors
        where study_id = 'lm_eval_logs' and factor = 'eval_task'
        """
    )
    assert levels == [("hiring",)]

"""Real answers, imported with a factor that repeats two others."""

import os
from pathlib import Path

import duckdb
import pytest

from python_assets.plan.plan import plan_study
from python_assets.study_file.load import load_study
from python_assets.warehouse import paths

DATA = Path(os.environ.get("PLUMBLINE_DATA") or paths.PROJECT.parent / "shared" / "data")
ANSWERS = DATA / "fairsea" / "fairsea_responses.parquet"
STUDY = """
prompts:
  import:
    path: answers.parquet
    columns: {prompt: prompt, root_prompt: prompt_category, system: model, response: llm_output,
              replicate: auto}
    factors: {demo: demo, race: race, gender: gender, nationality: nationality}
systems: [{name: "*", provider: replay}]
groupings: [race, gender, demo]
"""


@pytest.mark.skipif(not ANSWERS.exists(), reason="its texts are in PLUMBLINE_DATA")
def test_race_and_gender_are_compared_where_demo_repeats_both(tmp_path):
    duckdb.execute(
        f"""
        copy (
            select race || ' ' || gender as demo,
                concat_ws(' ', prompt_category, demo, nationality) as prompt,
                race, gender, nationality, prompt_category, model, llm_output
            from '{ANSWERS}' where prompt_category in ('D1', 'D2', 'D3', 'D4')
        ) to '{tmp_path / "answers.parquet"}'
        """
    )
    (tmp_path / "answers.yml").write_text(STUDY, encoding="utf-8")
    plan = plan_study(load_study(tmp_path / "answers.yml"))
    found = {one.grouping_id: one for one in plan.groupings}
    # 4 prompts x 6 nationalities, x 2 genders or 3 races where these are held fixed
    assert {key: (one.n_blocks, one.held, [factor for factor, _ in one.left_out]) for key, one in found.items()} == {
        "race": (48, ("gender", "nationality"), ["demo"]),
        "gender": (72, ("nationality", "race"), ["demo"]),
        "demo": (24, ("nationality",), ["gender", "race"]),
    }
    assert all(one.is_complete and one.reason is None for one in plan.groupings)

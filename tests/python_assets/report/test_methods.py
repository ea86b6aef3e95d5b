import json
import re
from datetime import datetime
from pathlib import Path

import yaml

from python_assets.report.methods import CITATION, methods, methods_paragraph

STUDY = {
    "study_id": "s",
    "title": "Who gets a loan",
    "config_json": json.dumps({"groupings": [["gender"]], "analysis": {"permutations": 9999, "bootstrap": 2000}}),
    "config_sha256": "abc",
    "preregistered_at": None,
    "plumbline_version": "0.1.0",
    "alpha": 0.05,
    "significance_level": 0.05,
    "look": None,
    "n_looks": None,
    "n_root_prompts_asked": None,
    "n_root_prompts_planned": None,
    "n_prompts": 40,
    "n_root_prompts": 20,
    "n_units": 20,
    "n_systems": 2,
    "n_simulated": 0,
    "systems": "f, g (llama)",
    "n_responses": 1600,
    "n_errors": 0,
    "n_not_recorded": 0,
    "n_refused": 3,
    "n_empty": 1,
    "measures": "tone (vader)",
    "families": "primary, 2 tested and 1 significant",
    "tests": "permuted t (4)",
}


def test_a_paragraph_has_n_units_sets_tests_versions_and_what_to_cite(snapshot):
    assert methods_paragraph(STUDY) == snapshot


def test_units_a_preregistration_and_simulation_are_said(snapshot):
    config = json.dumps(
        {"unit": "name", "groupings": [["sex", "age"]], "analysis": {"permutations": 99, "bootstrap": 1}}
    )
    preregistered = {"preregistered_at": datetime(2026, 3, 1, 9, 5), "n_units": 1200, "n_simulated": 1}
    told = methods_paragraph({**STUDY, **preregistered, "config_json": config})
    assert [one for one in told.split(". ") if one not in methods_paragraph(STUDY)] == snapshot


def test_a_study_with_nothing_in_it_has_a_paragraph():
    left_out = ("config_json", "title", "alpha", "significance_level", "study_id")
    counts = {name: None for name in STUDY if name not in left_out}
    told = methods_paragraph({**STUDY, **counts, "plumbline_version": "0.1.0"})
    assert "0 generations answered 0 prompts" in told
    assert "Nothing was measured." in told and "Nothing was tested." in told


def test_one_row_a_study():
    assert methods([STUDY]).to_pylist() == [{"study_id": "s", "methods": methods_paragraph(STUDY)}]
    assert methods([]).schema.names == ["study_id", "methods"]


def test_the_citation_is_that_of_the_citation_file():
    file = Path(__file__).parents[3] / "CITATION.cff"
    cited = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert f"({cited['authors'][0]['name']}, version {{version}}, {cited['license']})" in CITATION
    for work in cited["references"]:
        assert work["title"].partition(":")[0] in CITATION
        assert re.search(re.escape(work.get("doi") or work["url"]), CITATION)

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
    "analysis_frozen_at": None,
    "plumbline_version": "0.1.0",
    "alpha": 0.05,
    "level": 0.05,
    "look": None,
    "n_looks": None,
    "n_root_prompts_asked": None,
    "n_root_prompts_planned": None,
    "n_prompts": 40,
    "n_root_prompts": 20,
    "n_units": 20,
    "n_generations": 2,
    "n_simulated": 0,
    "generations": "f, g (llama)",
    "n_responses": 1600,
    "n_errors": 0,
    "n_not_recorded": 0,
    "n_refused": 3,
    "n_empty": 1,
    "measures": "tone (vader)",
    "sets": "primary, 2 tested and 1 called different",
    "tests": "permuted t (4)",
}


def test_a_paragraph_has_n_units_sets_tests_versions_and_what_to_cite():
    assert methods_paragraph(STUDY) == (
        "Who gets a loan: 2 generations (f, g (llama)) answered 40 prompts made from 20 root prompts, which "
        "gave 1,600 responses. Among them: 3 refusals and 1 blank answer. Measured were tone (vader). Groups "
        "of gender were compared, with 20 root prompts as the independent units. Whether the groups of a "
        "grouping differ in a measure is one question, with a p by random relabelling of groups (9,999 "
        "permutations) and a q by Benjamini and Hochberg within its set of questions, called at 0.05: "
        "primary, 2 tested and 1 called different. Contrasts were tested by permuted t (4). Intervals are of "
        "level 95 %; those of statistics that are no means are bootstrapped over root prompts (2,000 "
        "resamples). The analysis was not declared before the responses, so its findings are exploratory. "
        "Computed by Plumbline 0.1.0 from the study file with sha256 abc. "
    ) + CITATION.format(version="0.1.0")


def test_units_a_freeze_and_simulation_are_said():
    config = json.dumps(
        {"unit": "name", "groupings": [["sex", "age"]], "analysis": {"permutations": 99, "bootstrap": 1}}
    )
    frozen = {"analysis_frozen_at": datetime(2026, 3, 1, 9, 5), "n_units": 1200, "n_simulated": 1}
    told = methods_paragraph({**STUDY, **frozen, "config_json": config})
    assert "Groups of sex x age were compared, with the 1,200 levels of name as the independent units." in told
    assert "The analysis was declared on 2026-03-01 09:05 UTC." in told
    assert "Simulated responses: no statement about a real model." in told
    assert "(1 resample)" in told


def test_a_study_with_nothing_in_it_has_a_paragraph():
    counts = {name: None for name in STUDY if name not in ("config_json", "title", "alpha", "level", "study_id")}
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

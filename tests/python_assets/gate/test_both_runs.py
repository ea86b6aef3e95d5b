import json

import pandas as pd
import pytest

from python_assets.errors import SourceError, WarehouseError
from python_assets.gate.both_runs import both_runs, comparison_home, write_comparison
from python_assets.importers.formats import read_import
from python_assets.published.manifest import read_manifest
from python_assets.study_file.load import load_study
from python_assets.warehouse.build import Home
from tests.python_assets.kept_runs import ANSWERS, archived


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "warehouse")


@pytest.fixture
def kept(home):
    """October, November and the latest, December."""
    for month, run in (("10", "october"), ("11", "november"), ("12", "december")):
        archived(home, run, ANSWERS, wave=f"2026-{month}", at=f"2026-{month}-01")
    return home


def test_the_latest_run_is_stratum_against_the_one_that_is_named(kept):
    runs = both_runs(kept, "months", "oct")
    assert (runs.then.run_id, runs.now.run_id) == ("october", "december")


def test_a_run_that_does_not_exist_is_told_with_those_that_are_kept(kept):
    with pytest.raises(WarehouseError, match="december of 2026-12"):
        both_runs(kept, "months", "octobre")


def test_the_latest_run_is_not_held_against_itself(refused, kept):
    with refused(WarehouseError, "study months"):
        both_runs(kept, "months", "december")


def test_a_study_that_keeps_no_run_is_told(kept):
    with pytest.raises(WarehouseError, match="plumbline run others"):
        both_runs(kept, "others", "october")


def test_a_run_without_responses_is_told(refused, kept):
    archived(kept, "empty", {}, at="2026-09-01")
    with refused(WarehouseError, "run empty of months"):
        both_runs(kept, "months", "empty")


def test_a_run_of_an_older_version_is_named_with_the_remedy(refused, kept):
    path = kept.archives("months") / "october" / "manifest.json"
    older = {"format": "plumbline export 0", "plumbline_version": "0.0.9"}
    path.write_text(json.dumps(json.loads(path.read_text()) | older))
    with refused(SourceError, "archive"):
        both_runs(kept, "months", "october")


def test_both_runs_stand_beside_the_study_as_waves_that_pair_by_system(kept):
    runs = both_runs(kept, "months", "october")
    with comparison_home(kept) as compared:
        study_file = write_comparison(runs, compared.root)
        written = json.loads(study_file.read_text())
        assert study_file.name == "months.yml"
        assert written["prompts"]["import"]["path"] == ["then/manifest.json", "now/manifest.json"]
        assert written["analysis"]["compare"] == {"reference": "then"}
        for wave, run in (("then", "october"), ("now", "december")):
            manifest = read_manifest(study_file.parent / wave / "manifest.json", "path")
            assert (manifest.run_id, manifest.system_factors) == (run, {"g": {"wave": wave}})
            assert (study_file.parent / wave / "marts" / "responses.parquet").is_file()
    assert not compared.root.exists()
    assert (kept.archives("months") / "october" / "marts" / "responses.parquet").is_file()


CONFIG = {
    "title": "Months",
    "prompts": {"templates": {"texts": [{"id": "t", "text": "A"}]}},
    "factors": {"gender": {"type": "domain"}, "family": {"type": "model"}},
    "groupings": [["gender"], ["gender", "model"], ["family"]],
    "slices": {"men": {"gender": ["man"]}, "new": {"model": ["g"]}, "each": "system_prompt"},
    "analysis": {
        "alpha": 0.1,
        "margins": {"risk_difference": 0.05, "vader": {"mean_difference": 0.1}, "topic": {"dbi": 1.0}},
        "primary": {"systems": ["g"]},
    },
}


def test_a_study_without_groups_of_prompts_is_told(refused, home):
    for run, at in (("october", "2026-10-01"), ("november", "2026-11-01")):
        path = archived(home, run, ANSWERS, at=at)
        path.write_text(json.dumps(json.loads(path.read_text()) | {"config": CONFIG | {"groupings": [["model"]]}}))
    with refused(WarehouseError, "run november of months"):
        both_runs(home, "months", "october")


def test_of_the_study_file_stays_what_a_comparison_of_groups_needs(home):
    for run, at in (("october", "2026-10-01"), ("november", "2026-11-01")):
        path = archived(home, run, ANSWERS, at=at)
        path.write_text(json.dumps(json.loads(path.read_text()) | {"config": CONFIG}))
    with comparison_home(home) as compared:
        study_file = write_comparison(both_runs(home, "months", "october"), compared.root)
        written = json.loads(study_file.read_text())
    assert written["groupings"] == [["gender"]]
    assert written["slices"] == {"men": {"gender": ["man"]}}
    assert written["analysis"] == {
        "alpha": 0.1,
        "margins": {"risk_difference": 0.05, "vader": {"mean_difference": 0.1}},
        "statistics": ["mean"],
        "compare": {"reference": "then"},
    }


LABELS = [
    ("refusal", "p1", "anna", False, "no", 0.0, None),
    ("refusal", "p2", "anna", False, None, None, "not_labelled"),
    ("vader", "p1", "reader", True, "0.1", 0.1, None),
    ("verdict", "p2", "anna", False, "fair", None, None),
]


def written_comparison(home, then, now):
    """The labels that the comparison of two runs names, with the rows of their files."""
    for run, at, labels in (("october", "2026-10-01", then), ("november", "2026-11-01", now)):
        archived(home, run, ANSWERS, labels, at=at)
    with comparison_home(home) as compared:
        study_file = write_comparison(both_runs(home, "months", "october"), compared.root)
        entries = json.loads(study_file.read_text()).get("human_labels", [])
        assert [one.file for one in load_study(study_file).human_labels] == [one["file"] for one in entries]
        return [(one, (study_file.parent / one["file"]).read_text().splitlines()) for one in entries]


def test_labels_of_measures_that_people_labelled_in_both_runs_go_along(home):
    read = written_comparison(home, LABELS, [*LABELS[:1], ("verdict", "p1", "ben", False, None, None, "not_labelled")])
    assert [(one["measure"], one["rater"], one["automatic"]) for one, _ in read] == [("refusal", "anna", False)] * 2
    head, of_p1 = "system_id,prompt_id,replicate,label", "p1,0,0"
    assert [rows for _, rows in read] == [[head, f"g_then,{of_p1}", "g_then,p2,0,"], [head, f"g_now,{of_p1}"]]


@pytest.mark.parametrize(("then", "now"), [(LABELS, []), ([], LABELS), ([], [])])
def test_labels_of_one_run_alone_stay_there(home, then, now):
    assert written_comparison(home, then, now) == []


def test_labels_of_a_run_that_shows_its_texts_name_prompts_as_one_that_hides_them(home):
    archived(home, "october", ANSWERS, LABELS, at="2026-10-01")
    archived(home, "november", ANSWERS, LABELS, at="2026-11-01", hides_texts="yes")
    with comparison_home(home) as compared:
        study_file = write_comparison(both_runs(home, "months", "october"), compared.root)
        sheets = [
            pd.read_csv(study_file.parent / one["file"]) for one in json.loads(study_file.read_text())["human_labels"]
        ]
        prompts = set(read_import(load_study(study_file)).prompts["prompt_id"])
    assert len(prompts) == len(ANSWERS)
    assert {name for sheet in sheets for name in sheet["prompt_id"]} <= prompts

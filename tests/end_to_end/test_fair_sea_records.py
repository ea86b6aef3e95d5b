"""The record format from a file to the report, on records that are as bad as they may be."""

import csv
import json

import pytest

from python_assets.warehouse.paths import PROJECT

STUDIES = PROJECT / "studies"
QUOTED = 'says "yes", loudly; (again)'


@pytest.fixture(scope="module")
def records(run_study, tmp_path_factory):
    """The example with one outcome in D3, equal scores in D2, no race Other in I, and a quoted label."""
    folder = tmp_path_factory.mktemp("records")
    with (STUDIES / "fair_sea_records.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    kept = [row for row in rows if not (row["prompt_category"][0] == "I" and row["race"] == "Other")]
    for row in kept:
        category = row["prompt_category"]
        if category == "D3":
            row |= {"llm_output": "Yes.", "annotation": ""}
        if category == "D2":
            row |= {"llm_output": "Thank you.", "sentiment_score": ""}
        if category == "I4":
            row["annotation"] = QUOTED if row["gender"] == "Male" else "Analytical"
    kept[0]["annotation"] = "Bossy"
    with (folder / "fair_sea_records.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, kept[0])
        writer.writeheader()
        writer.writerows(kept)
    study = (STUDIES / "fair_sea_records.yml").read_text(encoding="utf-8")
    labels = f"{{labels: {{{json.dumps(QUOTED)}: [loud], Analytical: [numbers]}}}}"
    study = study.replace("prototypes: fair_sea_personality", f"prototypes: {labels}")
    (folder / "bad_records.yml").write_text(study, encoding="utf-8")
    return run_study(str(folder / "bad_records.yml"))


def test_every_rule_tells_its_removal_rate(records):
    rules = {
        rule: rest
        for rule, *rest in records.rows(
            "select rule, n_unexpected, n_evaluated, n_removed, round(removal_rate, 4), reason "
            "from v_quality_rules where study_id = 'bad_records' order by rule_position"
        )
    }
    # 161 records, 16 of them of race Other in I; one level unknown, one pair twice, one output blank
    assert rules["non_null_output"] == [1, 143, 1, round(1 / 143, 4), None]
    assert rules["valid_demographics"] == [1, 144, 1, round(1 / 144, 4), None]
    assert rules["no_duplicate_pairs"] == [1, 144, 1, round(1 / 144, 4), None]
    assert rules["levels_as_declared"][:3] == [3, 143, 0]
    assert rules["responses_per_cell"][2] == 0 < rules["responses_per_cell"][0]
    assert rules["taxonomy_coverage"][:3] == [0, 24, 0]
    assert rules["only_slots_differ"][3] == 0
    page = (records.home / "report" / "bad_records.html").read_text(encoding="utf-8")
    assert "Rules on records" in page and "removal rate" in page


def test_equal_scores_have_no_spread_to_be_held_against(records):
    rows = records.rows(
        "select value, reason from contrasts where study_id = 'bad_records' and contrast = 'dbi' "
        "and slice_id = 'D2' and measure_id = 'sentiment' and system_id = 'model'"
    )
    assert rows
    assert all(value is None and reason for value, reason in rows)
    tests = records.rows(
        "select test, p_value, reason from association_tests where study_id = 'bad_records' "
        "and slice_id = 'D2' and measure_id = 'sentiment' and system_id = 'model'"
    )
    assert tests
    assert all(p is None and reason for _, p, reason in tests)


def test_one_outcome_alone_is_associated_with_nothing(records):
    tests = records.rows(
        "select p_value, reason from association_tests where study_id = 'bad_records' "
        "and slice_id = 'D3' and measure_id = 'confident' and system_id = 'model'"
    )
    assert tests
    assert all(p is None and reason for p, reason in tests)
    distances = records.rows(
        "select metric, value from disparities where study_id = 'bad_records' and slice_id = 'D3' "
        "and measure_id = 'confident' and metric in ('fdi', 'jsd') and grouping_id = 'gender' "
        "and system_id = 'model'"
    )
    assert dict(distances) == {"fdi": 0, "jsd": 0}


def test_a_group_without_records_is_none(records):
    groups = records.rows(
        "select distinct group_id from contrasts where study_id = 'bad_records' and slice_id = 'I1' "
        "and measure_id = 'occupation' and grouping_id = 'race' and system_id = 'model'"
    )
    assert {group for (group,) in groups} == {"Chinese", "Malay", "Indian"}


def test_labels_with_quotes_and_commas_reach_the_tables(records):
    rows = records.rows(
        "select group_id, category, n from outcome_distributions where study_id = 'bad_records' "
        "and slice_id = 'I4' and measure_id = 'personality' and grouping_id = 'gender' "
        "and system_id = 'model' and n > 0 order by all"
    )
    assert rows == [("Female", "Analytical", 6), ("Male", QUOTED, 6)]


def test_an_annotation_outside_its_set_is_set_aside(records):
    ((rule, detail),) = records.rows(
        "select rule, detail from quarantined_records where study_id = 'bad_records' and stage = 'extract'"
    )
    assert rule == "invalid_annotation"
    assert detail.startswith("column 'annotation': ") and detail.endswith("Supportive, got 'Bossy'")

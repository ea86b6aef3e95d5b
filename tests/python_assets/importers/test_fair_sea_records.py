"""The record format of FAIR-SEA's document, read by studies/fair_sea_records.yml from each kind of file."""

import json

import pandas as pd
import pytest

from python_assets.assemble.assemble_study import assemble
from python_assets.extract.extract_study import extract
from python_assets.generate.generate_study import generate_study
from python_assets.importers.formats import read_import
from python_assets.plan.plan import plan_study
from python_assets.study_file.load import load_study
from python_assets.warehouse.build import Home, open_build
from python_assets.warehouse.paths import PROJECT
from python_assets.warehouse.progress import SILENT

RACES, NATIONALITIES = ["Chinese", "Malay", "Indian", "Other"], ["Singapore", "PR", "Other"]
CLEANERS = "Cleaners, Labourers & Related Workers"


def record(number, category, text, output, gender="Female", **columns):
    return {
        "prompt_id_full": f"{category}_{number:03}",
        "prompt_category": category,
        "prompt_text": text,
        "llm_output": output,
        "gender": gender,
        "race": RACES[number % 4],
        "nationality": NATIONALITIES[number % 3],
        **dict.fromkeys(["annotation", "sentiment_score", "occupation", "industry"]),
        **columns,
    }


RECORDS = [
    record(1, "D1", "A female CEO.", "gives orders and controls everything", annotation="collaborative"),
    record(2, "D1", "A male CEO.", "gives orders and controls everything", "MALE"),
    record(3, "D2", "A manager, he.", "I love this!", "male ", sentiment_score=-0.45),
    record(4, "D2", "A manager, she.", "I love this!", " female"),
    record(5, "I1", "Mei takes a bus.", 'a "cleaner", she', occupation=CLEANERS.upper()),
    record(6, "I1", "Ann takes a bus.", f'"{CLEANERS}."'),
    record(7, "I1", "Tan takes a bus.", "Professionals", occupation="Software Engineer"),
    record(8, "I2", "Tan, there.", "Education", industry="Arts, Entertainment & Recreation"),
    record(9, "I2", "Mei, there.", " ", industry="Education"),
    record(10, "D3", "Who is it?", "Yes.", gender="Unknown"),
    record(11, "D3", "Is she?", "Yes, she is."),
    record(12, "D4", "A painter?", "They are happy."),
    record(13, "I3", "Shall he?", "No. It is unfair."),
    record(14, "I4", "Describe her.", "She likes numbers."),
    record(2, "D1", "A male CEO.", "again", "Male"),
]


@pytest.fixture
def study(request, tmp_path):
    """The records in a file of a format: csv where a test does not say."""
    table, ending = pd.DataFrame(RECORDS), getattr(request, "param", "csv")
    if ending == "csv":
        table.to_csv(tmp_path / "records.csv", index=False)
    elif ending == "parquet":
        table.to_parquet(tmp_path / "records.parquet")
    else:
        lines = [json.dumps({key: value for key, value in row.items() if value is not None}) for row in RECORDS]
        (tmp_path / "records.jsonl").write_text("\n".join(lines), encoding="utf-8")
    of_example = (PROJECT / "studies" / "fair_sea_records.yml").read_text(encoding="utf-8")
    file = tmp_path / "fair_sea_records.yml"
    file.write_text(of_example.replace("fair_sea_records.csv", f"records.{ending}"), encoding="utf-8")
    return load_study(file)


def test_the_example_shows_what_is_put_right_and_what_is_set_aside():
    imported = read_import(load_study(PROJECT / "studies" / "fair_sea_records.yml"))
    assert imported.normalised["entry"].tolist() == ["MALE", "female ", "INDIAN"]
    assert [(record.record_key, record.rule) for record in imported.quarantine] == [
        ("fair_sea_records.csv:row 68", "invalid_level"),
        ("fair_sea_records.csv:row 161", "duplicate_key"),
    ]


@pytest.mark.parametrize("study", ["csv", "jsonl", "parquet"], indirect=True)
def test_levels_are_put_right_and_counted_and_unknown_ones_set_aside(study):
    imported = read_import(study)
    file = imported.prompts["document_id"].iloc[0]
    assert imported.normalised.values.tolist() == [
        [f"{file}:row 2", "gender", "MALE", "Male"],
        [f"{file}:row 3", "gender", "male ", "Male"],
        [f"{file}:row 4", "gender", " female", "Female"],
    ]
    [unknown, twice] = imported.quarantine
    assert (unknown.record_key, unknown.rule) == (f"{file}:row 10", "invalid_level")
    assert json.loads(unknown.record_json)["gender"] == "Unknown"
    # MALE of row 2 and Male of row 15 are one prompt
    assert (twice.record_key, twice.rule) == (f"{file}:row 15", "duplicate_key")
    assert len(imported.rows) == 13
    levels = imported.prompt_factors
    assert set(levels.loc[levels["factor"] == "gender", "level"]) == {"Female", "Male"}


def test_the_plan_says_what_was_put_right(study, snapshot):
    warnings = plan_study(study).warnings
    assert [one for one in warnings if one.startswith("3 imported levels")] == snapshot
    assert any(one.startswith("2 records are rejected") for one in warnings)


def test_people_win_over_our_own_measuring(study, tmp_path):
    with open_build(tmp_path / "b.duckdb") as build:
        assemble(study, build)
        generate_study(study, build, Home(tmp_path / "home"), SILENT)
        extract(study, build, tmp_path / "cache")
        found = {
            (prompt, measure): (label, value, method, reason)
            for prompt, measure, label, value, method, reason in build.execute(
                """
                select split_part(prompt_id, ' | ', 5), measure_id, label, round(value, 4), label_method,
                    reason
                from raw.measurements where system_id = 'model'
                """
            ).fetchall()
        }
        rejected = build.execute("select rule, detail from raw.quarantine where stage = 'extract'").fetchall()
    assert found["A female CEO.", "leadership"] == ("Collaborative", None, "column", None)
    assert found["A male CEO.", "leadership"][0] == "Authoritative"
    assert found["A male CEO.", "leadership"][2] != "column"
    assert found["A female CEO.", "leadership_similarity_authoritative"][1] > 0.4
    assert found["A manager, he.", "sentiment"][1] == -0.45
    assert found["A manager, she.", "sentiment"][1] == 0.6696
    assert found["Mei takes a bus.", "occupation"] == (CLEANERS, None, "column", None)
    assert found["Mei takes a bus.", "occupation_unscored"][1] == 0
    assert found["Ann takes a bus.", "occupation"] == (CLEANERS, None, "exact", None)
    assert found["Tan, there.", "industry"][:3] == ("Arts, Entertainment & Recreation", None, "column")
    # a blank output leaves the measure, whatever somebody wrote beside it
    assert found["Mei, there.", "industry"] == (None, None, None, "response_empty")
    assert found["Tan takes a bus.", "occupation"] == (None, None, None, "invalid_annotation")
    assert found["Tan takes a bus.", "occupation_unscored"][3] == "invalid_annotation"
    [(rule, detail)] = rejected
    assert rule == "invalid_annotation"
    assert "got 'Software Engineer'" in detail and CLEANERS in detail

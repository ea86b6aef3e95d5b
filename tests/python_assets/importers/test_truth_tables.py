"""Tables of real shares: read whole, or refused with file, place and remedy."""

import csv

import pandas as pd
import pytest

from python_assets.errors import SourceError, StudyError
from python_assets.importers.truth_tables import read_truth_table
from python_assets.study.ground_truth import GroundTruth, packaged_labels, packaged_tables

HEADER = "category,group,count,period,source,licence\n"
ROWS = (
    "Cooks,Female,30,2023,Office,CC0\n"
    "Cooks,Male,10,2023,Office,CC0\n"
    '"Chief ""boss"", retired; é",Female,0,2023,Office,CC0\n'
    '"Chief ""boss"", retired; é",Male,5,2023,Office,CC0\n'
)


def read(folder, text, **fields):
    (folder / "truth.csv").write_text(text, encoding="utf-8")
    return read_truth_table(folder, GroundTruth(path="truth.csv", **fields), ("measures", 0, "ground_truth"))


def test_shares_are_of_the_groups_in_a_category_and_zero_is_one_of_them(tmp_path):
    table = read(tmp_path, HEADER + ROWS)
    assert table.categories == ["Cooks", 'Chief "boss", retired; é']
    assert table.groups == ["Female", "Male"]
    assert table.rows.share.tolist() == [0.75, 0.25, 0, 1]
    assert table.rows["count"].tolist() == [30, 10, 0, 5]
    assert (table.name, table.period, table.source, table.licence) == ("truth.csv", "2023", "Office", "CC0")
    assert table.parameters == "table=truth.csv;period=2023"


@pytest.mark.parametrize("ending", ["parquet", "jsonl", "xlsx"])
def test_other_files_are_read_alike(tmp_path, ending):
    (tmp_path / "truth.csv").write_text(HEADER + ROWS, encoding="utf-8")
    table = pd.read_csv(tmp_path / "truth.csv")
    writers = {
        "parquet": lambda path: table.to_parquet(path),
        "jsonl": lambda path: table.to_json(path, orient="records", lines=True),
        "xlsx": lambda path: table.to_excel(path, index=False),
    }
    writers[ending](tmp_path / f"truth.{ending}")
    found = read_truth_table(tmp_path, GroundTruth(path=f"truth.{ending}"), ("f",))
    assert found.rows.equals(read(tmp_path, HEADER + ROWS).rows)
    assert found.period == "2023"


def test_a_category_of_nobody_has_no_shares(tmp_path):
    nobody = "Poets,Female,0,2023,Office,CC0\nPoets,Male,0,2023,Office,CC0\n"
    assert read(tmp_path, HEADER + ROWS + nobody).rows.share.isna().tolist() == [False] * 4 + [True] * 2


def test_the_latest_year_is_taken_by_its_number_and_another_by_its_name(tmp_path):
    older = ROWS.replace("2023", "999").replace("30", "20")
    assert read(tmp_path, HEADER + older + ROWS).period == "2023"
    assert read(tmp_path, HEADER + older + ROWS, period=999).rows["count"].tolist() == [20, 10, 0, 5]


def test_one_of_several_strata_is_named(refused, tmp_path):
    header, rows = HEADER.replace("count", "stratum,count"), ROWS.replace(",Female,", ",Female,young,")
    rows = rows.replace(",Male,", ",Male,young,")
    old = rows.replace("young", "old").replace("30", "10")
    table = read(tmp_path, header + rows + old, stratum="old")
    assert table.rows.share.tolist()[:2] == [0.5, 0.5]
    assert table.parameters == "table=truth.csv;period=2023;stratum=old"
    with refused(SourceError, "measures[0].ground_truth.stratum"):
        read(tmp_path, header + rows + old)


def test_shares_may_miss_1_by_rounding_and_are_made_to_add_up(tmp_path):
    rows = ROWS.replace("30", "0.67").replace(",10,", ",0.332,").replace(",5,", ",1,")
    table = read(tmp_path, HEADER.replace("count", "share") + rows)
    assert table.rows.share.tolist() == pytest.approx([0.67 / 1.002, 0.332 / 1.002, 0, 1])
    assert table.rows["count"].isna().all()


@pytest.mark.parametrize(
    "change",
    [
        ("30", "0.7", "count", "share"),
        ("30", "na"),
        ("30", "-3"),
        ("30", "inf"),
        ("30", ""),
        ("Cooks,Male", "Cooks,Female"),
        ("Cooks,Male,10,2023", "Cooks,Male,10,2022"),
        ("Female", "Everybody", "Male", "Everybody "),
        ("30", "0"),
        ("Office", ""),
        ("count", "share,count", ",30", ",1,30", ",10", ",1,10", ",0", ",1,0"),
        ("count", "persons"),
    ],
)
def test_a_table_that_cannot_be_right_is_refused_with_file_row_and_remedy(refused, tmp_path, change):
    text = HEADER + ROWS
    for old, new in zip(change[::2], change[1::2], strict=True):
        text = text.replace(old, new)
    with refused(SourceError, "measures[0].ground_truth.path"):
        read(tmp_path, text)


def test_a_missing_column_and_an_empty_table_are_told(refused, tmp_path):
    with refused(StudyError, "measures[0].ground_truth.path"):
        read(tmp_path, HEADER.replace("licence", "terms") + ROWS)
    with refused(SourceError, "measures[0].ground_truth.path"):
        read(tmp_path, HEADER)
    with refused(SourceError, "measures[0].ground_truth.path"):
        read_truth_table(tmp_path, GroundTruth(path="gone.csv"), ("measures", 0, "ground_truth"))


def test_a_year_that_the_table_skips_is_told_with_those_it_has(refused):
    with refused(SourceError, "f.period"):
        read_truth_table(None, GroundTruth(table="singstat_occupations", period=2006), ("f",))


@pytest.mark.parametrize(("name", "n_categories", "total"), [("occupations", 9, 2365.6), ("industries", 15, 2365.6)])
def test_packaged_tables_are_the_published_figures(tmp_path, name, n_categories, total):
    table = read_truth_table(tmp_path, GroundTruth(table=f"singstat_{name}"), ("f",))
    assert (len(table.categories), table.groups, table.period) == (n_categories, ["Female", "Male"], "2024")
    # published in thousands with one digit, each figure rounded by itself
    assert table.rows["count"].sum() == pytest.approx(total, abs=1)
    assert "M1821" in table.source
    assert table.licence == "Singapore Open Data Licence 1.0"


@pytest.mark.parametrize("name", ["occupations", "industries"])
def test_other_names_of_the_packaged_categories_are_of_categories(tmp_path, name):
    table = read_truth_table(tmp_path, GroundTruth(table=f"singstat_{name}"), ("f",))
    labels = packaged_labels()[f"singstat_{name}"]
    assert set(labels.values()) <= set(table.categories)
    assert len(labels) == {"occupations": 1, "industries": 17}[name]


def test_the_packaged_tables_are_those_that_the_raw_files_give(data_folder, tmp_path, monkeypatch):
    from bench import make_truth_tables
    from python_assets.study.ground_truth import TRUTH_TABLES

    made = tmp_path / "truth_tables.csv"
    monkeypatch.setattr("sys.argv", ["make_truth_tables", str(made)])
    monkeypatch.setenv("PLUMBLINE_DATA", str(data_folder))
    make_truth_tables.main()
    assert made.read_text(encoding="utf-8") == TRUTH_TABLES.read_text(encoding="utf-8")
    with made.open(encoding="utf-8", newline="") as file:
        assert {row["truth_table"] for row in csv.DictReader(file)} == set(packaged_tables())

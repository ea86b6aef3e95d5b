import pytest

from python_assets.errors import SourceError, StudyError
from python_assets.importers.level_map import read_level_table
from python_assets.study.study import Factor, LevelMap


def read(folder, text, **parts):
    (folder / "map.csv").write_text(text, encoding="utf-8")
    factor = Factor(map=LevelMap(from_="model", file="map.csv"), **parts)
    return read_level_table(folder, "family", factor)


def test_a_level_has_the_mapped_level_of_its_row(tmp_path):
    table = read(tmp_path, 'year,model,family\n1,m 1,α\n2,"m,2", β \n2,"m,2",β\n')
    assert table.of(["m,2", "m 1", "m 1"]) == {"m,2": "β", "m 1": "α"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("model,family\na,x\na,y\n", r"map\.csv has several rows for model 'a' that differ in family\. Keep"),
        ("model,family\na,\n", r"map\.csv has no family for model 'a'\. Fill it in\."),
        ("model,family\na,x x y\n", r"has the family 'x x y', which holds ' x '"),
        ("model,family\na,z\n", r"has the family 'z', which factors\.family\.levels lacks"),
    ],
)
def test_a_table_that_cannot_be_used_is_an_error_with_file_level_and_remedy(refused, tmp_path, text, expected):
    with refused(SourceError, "factors.family.map.file"):
        read(tmp_path, text, levels=["x", "y"])


def test_a_missing_level_is_an_error_with_file_and_level(refused, tmp_path):
    table = read(tmp_path, "model,family\na,x\n")
    with refused(SourceError, "factors.family.map.file"):
        table.of(["a", "b", "c"])


def test_a_column_is_named_by_its_factor(refused, tmp_path):
    with refused(StudyError, "factors.family.map.file"):
        read(tmp_path, "model,group\na,x\n")


def test_a_table_that_is_not_there_is_an_error(refused, tmp_path):
    factor = Factor(map=LevelMap(from_="model", file="none.csv"))
    with refused(SourceError, "factors.family.map.file"):
        read_level_table(tmp_path, "family", factor)

import json

import pandas as pd
import pytest

from python_assets.importers.formats import Described, Importer, import_of, importer, read_import
from python_assets.importers.row_rules import FILE, ROW_COLUMN
from python_assets.importers.table import table_of_rows
from python_assets.study.imports import DescribedImport, ImportColumns
from python_assets.study.study import Factor, MeasureSpec

SEXES = {"m": "man", "w": "woman"}


class PairsImport(DescribedImport):
    shout: bool = False


@importer("pairs")
class PairsImporter(Importer):
    """Lines of `sex score`."""

    options = PairsImport

    @classmethod
    def described(cls, study):
        return Described(
            columns=ImportColumns(prompt="line", root_prompt="root"),
            column_of={"sex": "sex"},
            factors={"sex": Factor(levels=["woman", "man"], reference="man", definition="who is meant")},
            unit="root_prompt",
            measures=[
                MeasureSpec(name="score", kind="continuous", column="score"),
                MeasureSpec(name="is_high", kind="binary", column="is_high"),
            ],
        )

    @classmethod
    def read(cls, study):
        spec = import_of(study)
        lines = (study.folder / spec.path).read_text().splitlines()
        rows = [(SEXES[line[0]], int(line[2:])) for line in lines]
        table = pd.DataFrame(rows, columns=["sex", "score"]).assign(
            line=range(len(rows)), root="all", is_high=[score > 1 for _, score in rows]
        )
        if spec.shout:
            table["sex"] = table["sex"].str.upper()
        table = table.assign(**{FILE: spec.path, ROW_COLUMN: range(1, len(rows) + 1)})
        return table_of_rows(study, table, [], needs_levels=True)

    @classmethod
    def tables(cls, study, path):
        return []


PAIRS = {"lines.txt": "m 1\nw 2\n"}
REPLAY = [{"name": "one", "provider": "replay"}]


@pytest.fixture
def pairs(make_study):
    def make(options=None, **parts):
        spec = {"format": "pairs", "path": "lines.txt", **(options or {})}
        return make_study({"import": spec}, PAIRS, check_files=True, systems=REPLAY, **parts)

    return make


def test_a_format_that_registers_itself_is_read_like_any_other(pairs):
    imported = read_import(pairs(measures=["score"]))
    assert imported.prompt_factors.values.tolist() == [["0", "sex", "man"], ["1", "sex", "woman"]]
    assert imported.rows["score"].tolist() == [1, 2]


def test_a_format_has_options_of_its_own(pairs):
    factors = {"sex": {"levels": ["MAN", "WOMAN"], "reference": "MAN"}}
    imported = read_import(pairs({"shout": True}, factors=factors, measures=["score"]))
    assert set(imported.prompt_factors["level"]) == {"MAN", "WOMAN"}


def test_a_format_describes_factors_and_unit_and_the_file_says_otherwise(pairs):
    study = pairs(measures=["score"])
    assert (study.unit, study.factors["sex"].reference, study.groupings) == ("root_prompt", "man", [("sex",)])
    study = pairs(factors={"sex": {"reference": "woman"}}, measures=["score"])
    sex = study.factors["sex"]
    assert (sex.reference, sex.levels, sex.definition) == ("woman", ["woman", "man"], "who is meant")


def test_the_measures_of_a_format_are_those_of_a_study_that_names_none(pairs, tmp_path):
    from python_assets.study_file.load import load_study

    (tmp_path / "lines.txt").write_text(PAIRS["lines.txt"])
    path = tmp_path / "mine.yml"
    path.write_text("prompts: {import: {format: pairs, path: lines.txt}}\nsystems: [{name: one, provider: replay}]\n")
    study = load_study(path)
    assert [measure.name for measure in study.measures] == ["score", "is_high"]
    config = json.loads(study.config_json)
    assert [measure["column"] for measure in config["measures"]] == ["score", "is_high"]
    assert (config["unit"], config["factors"]["sex"]["reference"]) == ("root_prompt", "man")


def test_a_measure_of_a_format_is_taken_by_its_name_and_may_have_a_slice(pairs):
    study = pairs(
        measures=[{"name": "is_high", "slice": "men"}, {"name": "mine", "kind": "binary", "column": "is_high"}],
        slices={"men": {"sex": "man"}},
    )
    assert [(m.name, m.column, m.kind, m.slice) for m in study.measures] == [
        ("is_high", "is_high", "binary", "men"),
        ("mine", "is_high", "binary", None),
    ]


def texts(mistaken, spec):
    return mistaken({"prompts": spec, "systems": "[{name: one, provider: replay}]", "groupings": "[document]"})


def test_an_unknown_format_is_told_with_the_known_ones(mistaken):
    assert texts(mistaken, "{import: {format: tabel, path: t.csv, columns: {prompt: p}}}") == ["prompts.import.format"]


def test_a_key_that_a_format_does_not_have_is_told_with_those_it_has(mistaken):
    assert texts(mistaken, "{import: {format: pairs, path: t.csv, shuot: true}}") == ["prompts.import.shuot"]


def test_columns_of_a_format_that_has_them_are_told(mistaken):
    assert texts(mistaken, "{import: {format: pairs, path: t.csv, columns: {prompt: p}}}") == ["prompts.import"]


def test_the_table_needs_columns(mistaken):
    assert texts(mistaken, "{import: {path: t.csv}}") == ["prompts.import"]

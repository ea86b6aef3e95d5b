from pathlib import Path

import pytest

from python_assets.errors import PlumblineError, SourceError
from python_assets.importers.formats import read_import
from python_assets.study_file.load import load_study

ROOT = Path(__file__).parents[3]
NORTH = "id,who,tone,model,answer,biased\n1,Jewish,plain,a,yes,1\n2,old,plain,a,no,0\n2,old,plain,b,yes,1\n"
SOUTH = "id,stigma,style,model,answer,biased,graded\n1,Jewish,base,a,no,0,0.5\n2,short,base,b,yes,1,0.25\n"
DESIGN = "id,stigma,style\n1,Jewish,base\n2,short,base\n"
COLUMNS = {"prompt": "id", "system": "model", "response": "answer"}
REPLAY = [{"name": "*", "provider": "replay"}]
BIASED = {"name": "biased", "kind": "binary", "column": "biased"}


def table(path, factors, columns=COLUMNS):
    return {"format": "table", "path": path, "columns": columns, "factors": factors}


@pytest.fixture
def pair(make_study):
    def make(*, north=None, south=None, files=None, called=None, factor=None, **parts):
        spec = {
            "format": "several",
            "imports": {
                "north": north or table("north.csv", {"group": "who", "tone": "tone"}),
                "south": south or table("south.csv", {"group": "stigma", "style": "style"}),
            },
        }
        spec |= {} if called is None else {"called": called}
        spec |= {} if factor is None else {"factor": factor}
        files = {"north.csv": NORTH, "south.csv": SOUTH, "design.csv": DESIGN} | (files or {})
        parts = {"systems": REPLAY, "measures": [BIASED], "groupings": ["group"]} | parts
        return make_study({"import": spec}, files, check_files=True, **parts)

    return make


def levels(imported, factor):
    found = imported.prompt_factors[imported.prompt_factors["factor"] == factor]
    return dict(zip(found["prompt_id"], found["level"], strict=True))


def test_prompts_of_two_benchmarks_keep_apart_and_share_the_factors_of_one_name(pair):
    imported = read_import(pair())
    assert imported.prompts["prompt_id"].tolist() == ["north: 1", "north: 2", "south: 1", "south: 2"]
    assert imported.prompts["root_prompt_id"].tolist() == imported.prompts["prompt_id"].tolist()
    assert levels(imported, "group") == {
        "north: 1": "Jewish", "north: 2": "old", "south: 1": "Jewish", "south: 2": "short"
    }  # fmt: skip
    assert levels(imported, "benchmark") == {
        "north: 1": "north", "north: 2": "north", "south: 1": "south", "south: 2": "south"
    }  # fmt: skip
    # what a benchmark lacks its prompts have no level of
    assert set(levels(imported, "tone")) == {"north: 1", "north: 2"}
    assert set(levels(imported, "style")) == {"south: 1", "south: 2"}
    assert imported.n_rows == 5


def test_answers_of_a_model_to_both_are_one_system_s(pair):
    imported = read_import(pair())
    found = [tuple(row) for row in imported.rows[["system", "prompt_id", "response_text", "biased"]].to_numpy()]
    assert found == [
        ("a", "north: 1", "yes", "1"), ("a", "north: 2", "no", "0"), ("b", "north: 2", "yes", "1"),
        ("a", "south: 1", "no", "0"), ("b", "south: 2", "yes", "1"),
    ]  # fmt: skip
    assert imported.system_factors.values.tolist() == [["a", "model", "a"], ["b", "model", "b"]]


def test_a_column_that_one_benchmark_has_is_missing_in_the_other(pair):
    graded = {"name": "graded", "kind": "continuous", "column": "graded"}
    imported = read_import(pair(measures=[BIASED, graded]))
    assert imported.rows["graded"].isna().tolist() == [True, True, True, False, False]


def test_the_factor_of_benchmarks_is_named_by_the_study_and_its_levels_are_in_order(pair):
    study = pair(factor="source", factors={"source": {"reference": "south"}})
    assert (study.factors["source"].levels, study.factors["source"].reference) == (["north", "south"], "south")
    assert set(levels(read_import(study), "source").values()) == {"north", "south"}


def test_a_factor_is_called_otherwise_where_the_study_says_so(pair):
    imported = read_import(
        pair(
            north=table("north.csv", {"who": "who", "tone": "tone"}),
            called={"north": {"who": "group"}},
            factors={"group": {"levels": ["jewish", "old", "short"]}},
            files={"south.csv": SOUTH.replace("Jewish", "JEWISH")},
        )
    )
    # declared levels hold for both, under their own names
    assert set(levels(imported, "group").values()) == {"jewish", "old", "short"}
    assert set(imported.prompt_factors["factor"]) == {"group", "tone", "style", "benchmark"}
    told = {(row.record_key, row.factor, row.level) for row in imported.normalised.itertuples()}
    assert told == {("north: north.csv:row 1", "group", "jewish"), ("south: south.csv:row 1", "group", "jewish")}


def test_a_design_without_answers_brings_its_prompts_alone(pair):
    design = table("design.csv", {"group": "stigma", "style": "style"}, {"prompt": "id"})
    imported = read_import(pair(south=design))
    assert len(imported.prompts) == 4
    assert set(imported.rows["prompt_id"]) == {"north: 1", "north: 2"}
    assert imported.system_factors["system"].tolist() == ["a", "b"]


def test_a_row_that_cannot_be_used_is_set_aside_under_the_name_of_its_benchmark(pair):
    imported = read_import(pair(files={"south.csv": SOUTH + "3,,base,a,no,0,0\n"}))
    assert [one.record_key for one in imported.quarantine] == ["south: south.csv:row 3"]


def test_what_only_one_benchmark_needs_is_no_column_of_the_whole(pair):
    spec = pair(north=table("north.csv", {"group": "who"}, COLUMNS | {"prompt_text": "tone"})).prompts.import_
    assert (spec.columns.prompt_text, spec.columns.system, spec.columns.response) == (
        None, "system", "response_text"
    )  # fmt: skip


@pytest.mark.parametrize(
    "parts",
    [
        {"factor": "group"},
        {"called": {"west": {"who": "group"}}},
        {"called": {"north": {"whom": "group"}}},
        {"called": {"north": {"group": "tone"}}},
        {"called": {"north": {"group": "a", "tone": "a"}}},
        {"north": {"format": "inspect", "path": "north.json"}},
        {"north": {"format": "several", "imports": {}}},
        {"north": table("north.csv", {"group": "who"}, COLUMNS | {"system": ["model", "tone"]})},
        {"measures": [{"name": "absent", "kind": "binary", "column": "absent"}]},
        {"north": table("north.csv", {"group": "who"}, {"prompt": "id", "response": "answer"})},
        {"north": table("north.csv", {"group": "whose"})},
        {"north": table("nowhere.csv", {"group": "who"})},
    ],
)
def test_what_does_not_fit_together_is_told(pair, parts, snapshot):
    with pytest.raises((PlumblineError, ExceptionGroup)) as refused:
        read_import(pair(**parts))
    assert snapshot == str(refused.value).split("/")[-1]


def test_one_benchmark_is_not_several(make_study):
    spec = {"format": "several", "imports": {"north": table("north.csv", {"group": "who"})}}
    with pytest.raises(PlumblineError, match="imports"):
        make_study({"import": spec}, {"north.csv": NORTH}, systems=REPLAY, measures=[BIASED])


def test_bbq_and_socialstigmaqa_have_one_table_of_factors(plumbline_data):
    study = load_study(ROOT / "studies" / "bbq_and_ssqa.yml")
    imported = read_import(study)
    benchmark = levels(imported, "benchmark")
    assert {name: list(benchmark.values()).count(name) for name in ("bbq", "ssqa")} == {"bbq": 11_956, "ssqa": 10_360}
    groups = levels(imported, "group")
    of_both = {groups[key] for key in groups if key.startswith("bbq")} & {
        groups[key] for key in groups if key.startswith("ssqa")
    }
    assert of_both == {"Atheist", "Jewish", "Muslim"}
    assert imported.prompts["root_prompt_id"].nunique() == 150 + 37
    assert len(imported.rows) == 3 * 11_956
    with pytest.raises(SourceError, match="nowhere"):
        spec = study.prompts.import_
        bbq = spec.imports["bbq"].model_copy(update={"path": "nowhere.parquet"})
        gone = spec.model_copy(update={"imports": spec.imports | {"bbq": bbq}})
        read_import(study.model_copy(update={"prompts": study.prompts.model_copy(update={"import_": gone})}))

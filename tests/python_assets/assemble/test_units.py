"""The declared unit of a study: what a prompt is a draw of, where that is not its root prompt."""

import pytest

from python_assets.assemble.assemble_study import assemble
from python_assets.errors import SourceError
from python_assets.plan.design_tables import design_tables
from python_assets.study.factors import study_factors
from python_assets.study_file.load import load_study

IMPORT = """
unit: name
factors: {gender: {levels: [f, m]}}
prompts:
  import:
    path: names.csv
    columns: {prompt: id, root_prompt: text, system: model, response: answer}
    factors: {gender: gender, name: name}
systems: [{name: "*", provider: replay}]
"""
TEMPLATES = """
unit: name
factors: {gender: {levels: [f, m]}, name: {levels: [Ann, Eva, Bob, Max]}}
prompts:
  templates:
    texts: [{id: t1, text: "{name} asks."}, {id: t2, text: "{name} sings."}]
    combinations:
      - {gender: f, name: Ann}
      - {gender: f, name: Eva}
      - {gender: m, name: Bob}
      - {gender: m, name: Max}
systems: [{name: fair, provider: simulator}]
"""


def study_of(folder, text):
    (folder / "names.csv").write_text(
        "id,text,model,answer,gender,name\n1,a,m,x,f,Ann\n2,b,m,x,f,Ann\n3,a,m,x,m,Bob\n", encoding="utf-8"
    )
    path = folder / "mine.yml"
    path.write_text(text, encoding="utf-8")
    return load_study(path)


def units(study, connection):
    assemble(study, connection)
    return connection.sql("select prompt_id, unit_id from raw.prompts order by rowid").fetchall()


def test_an_imported_prompt_is_of_the_unit_that_its_column_names(tmp_path, build):
    assert units(study_of(tmp_path, IMPORT), build) == [("1", "Ann"), ("2", "Ann"), ("3", "Bob")]


def test_a_template_is_of_the_unit_it_is_filled_with(tmp_path, build):
    found = dict(units(study_of(tmp_path, TEMPLATES), build))
    assert found["t1 > f x Ann"] == found["t2 > f x Ann"] == "Ann"
    assert set(found.values()) == {"Ann", "Eva", "Bob", "Max"}


def test_a_derived_factor_can_be_the_unit(tmp_path, build):
    study = study_of(tmp_path, IMPORT.replace("unit: name", "unit: document"))
    assert {unit for _, unit in units(study, build)} == {"names.csv"}


def test_without_a_declared_unit_root_prompts_are_units(tmp_path, build):
    found = units(study_of(tmp_path, IMPORT.replace("unit: name", "")), build)
    assert found == [("1", "a"), ("2", "b"), ("3", "a")]


def test_root_prompts_can_be_the_declared_unit(tmp_path, build):
    study = study_of(tmp_path, IMPORT.replace("unit: name", "unit: root_prompt"))
    assert units(study, build) == [("1", "a"), ("2", "b"), ("3", "a")]
    assert (study.unit, study.unit_name) == ("root_prompt", "root prompt")
    assert all(factor.is_blocking for factor in study_factors(study).values() if factor.origin == "imported")


def test_a_unit_neither_blocks_nor_is_compared_by_itself(tmp_path, build):
    study = study_of(tmp_path, IMPORT)
    assert study.groupings == [("gender",)]
    assert {f.name: f.is_blocking for f in study_factors(study).values() if f.origin == "imported"} == {
        "gender": True,
        "name": False,
    }
    assemble(study, build)
    factors = design_tables(study, build)["factors"].set_index("factor")
    assert not factors.loc["name", "is_blocking"]


def test_a_prompt_without_a_unit_is_an_error(tmp_path, build, refused):
    text = TEMPLATES.replace('{id: t1, text: "{name} asks."}', '{id: t1, text: "I ask.", factors: {who: I}}')
    text = text.replace("unit: name", "unit: who").replace(
        "factors: {gender", "factors: {who: {levels: [I]}, gender", 1
    )
    with refused(SourceError, "unit"):
        units(study_of(tmp_path, text), build)


OF_TEXTS = """
factors:
  gender: {levels: [f, m], reference: m, texts: {f: woman, m: man}}
  land: {levels: [a, b], reference: b}
prompts:
  templates:
    cross: [gender, land]
    texts:
      - {id: d, text: "A {gender} of {land}."}
      - {id: alone, text: "A {gender}.", cross: [gender]}
      - {id: i, text: "{name} of {land}, a {gender}.", units: {file: people.csv, nested_in: [gender]}}
systems: [{name: fair, provider: simulator}]
"""


@pytest.fixture
def of_texts(tmp_path, build):
    (tmp_path / "people.csv").write_text("name,note,gender\nAnn,x,f\nEva,,f\nBob,y,m\n", encoding="utf-8")
    study = study_of(tmp_path, OF_TEXTS)
    assemble(study, build)
    return build


def test_each_text_has_its_own_crossing_and_units(of_texts):
    found = of_texts.sql("select prompt_id, unit_id, unit_factor from raw.prompts order by rowid").fetchall()
    assert found == [
        *((f"d > {gender} x {land}", "d", None) for gender in "fm" for land in "ab"),
        ("alone > f", "alone", None),
        ("alone > m", "alone", None),
        *(
            (f"i > {land} x {gender} x {name}", name, "name")
            for land in "ab"
            for gender, name in (("f", "Ann"), ("f", "Eva"), ("m", "Bob"))
        ),
    ]


def test_a_prompt_of_a_unit_has_its_levels_and_its_name_as_text(of_texts):
    prompt_id = "i > a x f x Eva"
    text = "select prompt_text from raw.prompts where prompt_id = ?"
    assert of_texts.execute(text, [prompt_id]).fetchall() == [("Eva of a, a woman.",)]
    levels = "select factor, level from raw.prompt_factors where prompt_id = ?"
    found = dict(of_texts.execute(levels, [prompt_id]).fetchall())
    assert (found["name"], found["gender"], found["land"]) == ("Eva", "f", "a")


def test_the_root_of_a_text_with_units_is_its_first_unit_of_the_reference_levels(of_texts):
    roots = of_texts.sql("select prompt_id from raw.prompts where is_root order by rowid").fetchall()
    assert roots == [("d > m x b",), ("alone > m",), ("i > b x m x Bob",)]


def test_the_unit_of_all_prompts_is_a_level_of_the_declared_factor(tmp_path, build):
    assemble(study_of(tmp_path, TEMPLATES), build)
    assert set(build.sql("select unit_factor from raw.prompts").fetchall()) == {("name",)}


def test_root_prompts_as_declared_units_have_no_factor(tmp_path, build):
    assemble(study_of(tmp_path, IMPORT.replace("unit: name", "unit: root_prompt")), build)
    assert set(build.sql("select unit_factor from raw.prompts").fetchall()) == {(None,)}

import pandas as pd

from python_assets.errors import SourceError
from python_assets.generate.generate_study import expand_systems
from python_assets.generate.model_factors import system_factors
from python_assets.importers.formats import read_import
from python_assets.study.study import make_id

TEMPLATES = {"templates": {"texts": [{"id": "t", "text": "A {gender}."}], "cross": ["gender"]}}
GENDER = {"gender": {"levels": ["woman", "man"]}}
FAMILY = {"type": "model", "map": {"from": "model", "file": "families.csv"}}
FAMILIES = "model,family\nhf/org/one,org\none,org\ntwo,other\n"


def rows_of(study, imported=None):
    names = [] if imported is None else [make_id(name) for name in imported.rows["system"].unique()]
    found = system_factors(study, expand_systems(study, names), imported)
    return set(found.itertuples(index=False, name=None))


def test_a_system_has_the_factors_that_its_entry_names(make_study):
    systems = [
        {
            "name": "{model}_{system_prompt_name}",
            "provider": "openai",
            "model": ["m1", "m2"],
            "system_prompt": {"none": "", "judge": "You judge."},
            "wave": "2026-11",
        }
    ]
    study = make_study(TEMPLATES, factors=GENDER, systems=systems)
    assert {row for row in rows_of(study) if row[0] == "m2_judge"} == {
        ("m2_judge", "system", "m2_judge"),
        ("m2_judge", "model", "m2"),
        ("m2_judge", "system_prompt", "judge"),
        ("m2_judge", "decoding", "temperature 0, seed 42, max_tokens 256"),
        ("m2_judge", "wave", "2026-11"),
    }


def imported(make_study, rows, factors, **columns):
    table = pd.DataFrame(rows, columns=["id", "sex", "model", "system"]).to_csv(index=False)
    spec = {
        "path": "t.csv",
        "columns": {"prompt": "id", "system": "model", "replicate": "auto", **columns},
        "factors": {"gender": "sex", **{name: "system" for name in factors if name == "system"}},
    }
    study = make_study(
        {"import": spec},
        {"t.csv": table, "families.csv": FAMILIES},
        factors=factors,
        systems=[{"name": "*", "provider": "replay"}],
        groupings=["gender"],
    )
    return study, read_import(study)


def test_raw_names_of_imported_models_are_mapped_to_fewer(make_study):
    rows = [("p", "f", "hf/org/one", "x"), ("p", "f", "one", "x"), ("p", "f", "two", "x")]
    study, table = imported(make_study, rows, {"family": FAMILY})
    assert {row for row in rows_of(study, table) if row[1] == "family"} == {
        ("hf_org_one", "family", "org"),
        ("one", "family", "org"),
        ("two", "family", "other"),
    }


def test_a_model_that_the_table_lacks_is_an_error_with_file_and_level(make_study, refused):
    study, table = imported(make_study, [("p", "f", "three", "x")], {"family": FAMILY})
    with refused(SourceError, "factors.family.map.file"):
        rows_of(study, table)


def test_a_column_of_a_factor_of_models_is_a_level_of_the_system(make_study):
    rows = [("p", "f", "one", "benign"), ("q", "f", "one", "benign"), ("p", "f", "two", "hostile")]
    study, table = imported(make_study, rows, {"system": {"type": "model", "reference": "benign"}})
    assert {("one", "system", "benign"), ("two", "system", "hostile")} <= rows_of(study, table)


def test_a_system_of_several_levels_is_an_error_that_says_what_to_do(make_study, refused):
    rows = [("p", "f", "one", "benign"), ("q", "f", "one", "hostile")]
    with refused(SourceError, "prompts.import.factors.system"):
        imported(make_study, rows, {"system": {"type": "model"}})


def test_a_reference_that_no_system_has_is_an_error(make_study, refused):
    study, table = imported(make_study, [("p", "f", "one", "x")], {"system": {"type": "model", "reference": "y"}})
    with refused(SourceError, "factors.system.reference"):
        rows_of(study, table)

"""Units of templates: their table, the factors they lie in, and that they are declared once."""

import pytest

from python_assets.study.factors import study_factors
from python_assets.study_file.load import load_study
from tests.python_assets.study_file.sections import TEMPLATES

FACTORS = "{gender: {levels: [woman, man]}, land: {levels: [a, b]}}"
UNITS = "{file: names.csv, nested_in: [gender]}"
NAMES = "gender,name\nwoman,Ann\nman,Bob\n"


def with_units(units=UNITS, more="", text="{name} of {land}", cross="[gender, land]", **sections):
    text = f'{{id: t1, text: "{text}", units: {units}{more}}}'
    prompts = f"{{templates: {{cross: {cross}, texts: [{text}]}}}}"
    return {**TEMPLATES, "factors": FACTORS, "prompts": prompts} | sections


CASES = {
    "a factor that is not declared": (
        with_units("{file: names.csv, nested_in: [gender, rase]}"),
        'prompts.templates.texts[0].units.nested_in[1]: got "rase"; expected a factor with levels: '
        "'gender', 'land'; declare it: factors: {rase: {levels: [...]}}",
    ),
    "a factor twice": (
        with_units("{file: names.csv, nested_in: [gender, gender]}"),
        'prompts.templates.texts[0].units.nested_in[1]: got "gender"; expected each factor once; '
        "remove one of them",
    ),
    "a unit in the other place": (
        with_units(unit="document"),
        'unit: got "document"; expected no unit beside those that some prompts have of their '
        "own ('name'); remove it, or the units of the prompts",
    ),
    "the unit in a grouping": (
        with_units(groupings="[gender, name]"),
        'groupings[1]: got "name"; expected factors other than the unit, whose levels stand for one '
        "group each; take it out, or declare another unit",
    ),
    "a level of the template's own beside that of its units": (
        with_units(more=", factors: {gender: man}"),
        'prompts.templates.texts[0].factors.gender: got "gender"; expected a factor that is the '
        "template's own, or one that is crossed, not both; remove it here",
    ),
    "a slot that is nobody's": (
        with_units(text="{name} of {lnd}"),
        "prompts.templates.texts[0].text: got \"{lnd}\"; expected a slot of a crossed factor: 'gender', "
        "'land', 'name'; did you mean 'land'?",
    ),
    "a factor that cross of the text lacks": (
        with_units(more=", cross: [lnad]", text="{name}"),
        "prompts.templates.texts[0].cross[0]: got \"lnad\"; expected a factor with levels: 'gender', 'land'; "
        "did you mean 'land'?",
    ),
}


@pytest.mark.parametrize(("sections", "expected"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_with_field_value_expectation_and_remedy(problem_texts, sections, expected):
    assert problem_texts(sections) == [expected]


def test_a_name_that_another_factor_has_is_no_unit(mistakes):
    field = "prompts.templates.texts[0].units.name"
    units = "{file: names.csv, nested_in: [gender], name: land}"
    found = mistakes(with_units(units, text="{land}"))
    assert (field, "a factor of the units alone") in found


def test_units_of_one_name_are_the_same_in_every_template(problem_texts):
    texts = (
        f'{{id: t1, text: "{{name}}", units: {UNITS}}}, '
        '{id: t2, text: "{name}", units: {file: others.csv, nested_in: [gender]}}'
    )
    prompts = f"{{templates: {{cross: [gender], texts: [{texts}]}}}}"
    assert problem_texts(
        {**TEMPLATES, "factors": "{gender: {levels: [woman, man]}}", "prompts": prompts}
    ) == [
        'prompts.templates.texts[0].units: got "name"; expected the file and nested_in of the other '
        "templates whose units are name; write them alike, or give these units another name"
    ]


def test_listed_combinations_would_leave_units_out(problem_texts):
    text = f'{{id: t1, text: "{{name}}", units: {UNITS}}}'
    prompts = f"{{templates: {{combinations: [{{gender: man}}], texts: [{text}]}}}}"
    assert problem_texts(
        {**TEMPLATES, "factors": "{gender: {levels: [woman, man]}}", "prompts": prompts}
    ) == [
        'prompts.templates.texts[0].units: got "name"; expected no units where combinations are listed '
        "for all templates, which would leave out some units; give the template cross: of its own, [] where "
        "only units vary"
    ]


FILES = {
    "no row": ("gender,name\n", "has no row", "add a row for each name"),
    "a unit twice": (NAMES + "man,Ann\n", "has several rows for name 'Ann'", "keep one row of it"),
    "a level that is not declared": (
        NAMES + "wman,Eve\n",
        "has the gender 'wman', which factors.gender.levels lacks",
        "correct it, or declare the level",
    ),
    "a unit without a level": (NAMES + ",Eve\n", "has no gender for name 'Eve'", "fill it in"),
    "a level without a unit": (NAMES + "man,\n", "has no name for row 3", "fill it in"),
    "a name that joins levels": (NAMES + "man,A x B\n", "has the name 'A x B', which holds ' x '", "reword"),
}


@pytest.mark.parametrize(("content", "expected", "remedy"), FILES.values(), ids=FILES)
def test_a_table_of_units_is_read_before_anything_runs(tmp_path, problem_texts, content, expected, remedy):
    (tmp_path / "names.csv").write_text(content, encoding="utf-8")
    (text,) = problem_texts(with_units(), check_files=True)
    assert text.startswith(
        'prompts.templates.texts[0].units.file: got "names.csv"; expected a table of units ('
    )
    assert expected in text
    assert remedy in text


def test_a_table_that_is_missing_or_lacks_a_column_is_told(tmp_path, problem_texts):
    (missing,) = problem_texts(with_units(), check_files=True)
    assert f"expected a file, but there is none at {tmp_path / 'names.csv'}); correct the path" in missing
    (tmp_path / "names.csv").write_text("gender,who\nman,Bob\n", encoding="utf-8")
    (lacking,) = problem_texts(with_units(), check_files=True)
    assert "name" in lacking
    assert "who" in lacking


def test_a_grouping_of_what_units_keep_and_vary_in_brings_its_parts(tmp_path, write_study):
    (tmp_path / "names.csv").write_text(NAMES, encoding="utf-8")
    study = load_study(write_study(with_units(groupings="[[land, gender], land]")))
    assert study.groupings == [("land", "gender"), ("land",), ("gender",)]
    assert load_study(write_study(with_units(groupings="[land]"))).groupings == [("land",)]


def test_units_are_a_factor_that_is_neither_compared_nor_held_fixed(tmp_path, write_study):
    (tmp_path / "names.csv").write_text(NAMES, encoding="utf-8")
    study = load_study(write_study(with_units()))
    name = study_factors(study)["name"]
    assert (name.is_unit, name.is_compared, name.is_blocking, name.has_prompts) == (True, False, False, True)
    assert study.groupings == [("gender",), ("land",)]

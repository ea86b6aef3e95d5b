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
        "prompts.templates.texts[0].units.nested_in[1]",
    ),
    "a factor twice": (
        with_units("{file: names.csv, nested_in: [gender, gender]}"),
        "prompts.templates.texts[0].units.nested_in[1]",
    ),
    "a unit in the other place": (with_units(unit="document"), "unit"),
    "the unit in a grouping": (with_units(groupings="[gender, name]"), "groupings[1]"),
    "a level of the template's own beside that of its units": (
        with_units(more=", factors: {gender: man}"),
        "prompts.templates.texts[0].factors.gender",
    ),
    "a slot that is nobody's": (with_units(text="{name} of {lnd}"), "prompts.templates.texts[0].text"),
    "a factor that cross of the text lacks": (
        with_units(more=", cross: [lnad]", text="{name}"),
        "prompts.templates.texts[0].cross[0]",
    ),
}


@pytest.mark.parametrize(("sections", "field"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_at_its_field(mistaken, sections, field):
    assert mistaken(sections) == [field]


def test_a_name_that_another_factor_has_is_no_unit(mistaken):
    field = "prompts.templates.texts[0].units.name"
    units = "{file: names.csv, nested_in: [gender], name: land}"
    assert field in mistaken(with_units(units, text="{land}"))


def test_units_of_one_name_are_the_same_in_every_template(mistaken):
    texts = (
        f'{{id: t1, text: "{{name}}", units: {UNITS}}}, '
        '{id: t2, text: "{name}", units: {file: others.csv, nested_in: [gender]}}'
    )
    prompts = f"{{templates: {{cross: [gender], texts: [{texts}]}}}}"
    assert mistaken({**TEMPLATES, "factors": "{gender: {levels: [woman, man]}}", "prompts": prompts}) == [
        "prompts.templates.texts[0].units"
    ]


def test_listed_combinations_would_leave_units_out(mistaken):
    text = f'{{id: t1, text: "{{name}}", units: {UNITS}}}'
    prompts = f"{{templates: {{combinations: [{{gender: man}}], texts: [{text}]}}}}"
    assert mistaken({**TEMPLATES, "factors": "{gender: {levels: [woman, man]}}", "prompts": prompts}) == [
        "prompts.templates.texts[0].units"
    ]


FILES = {
    "no row": "gender,name\n",
    "a unit twice": NAMES + "man,Ann\n",
    "a level that is not declared": NAMES + "wman,Eve\n",
    "a unit without a level": NAMES + ",Eve\n",
    "a level without a unit": NAMES + "man,\n",
    "a name that joins levels": NAMES + "man,A x B\n",
    "no column of units": "gender,who\nman,Bob\n",
    "no table": None,
}


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
def test_a_table_of_units_is_read_before_anything_runs(tmp_path, mistaken, content):
    if content is not None:
        (tmp_path / "names.csv").write_text(content, encoding="utf-8")
    assert mistaken(with_units(), check_files=True) == ["prompts.templates.texts[0].units.file"]


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

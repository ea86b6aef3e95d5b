import json

import pytest

from python_assets.study.factors import level_positions
from python_assets.study_file.load import load_study
from tests.python_assets.study_file.sections import SCRAPE, TEMPLATES

GENDER = "gender: {levels: [woman, man]}"
TWO = {**TEMPLATES, "prompts": '{templates: {cross: [gender, cot], texts: [{id: t, text: "A {gender} {cot}."}]}}'}


def with_factor(text, sections=TEMPLATES):
    return {**sections, "factors": f"{{{GENDER}, {text}}}"}


CASES = {
    "an expression that is none": (with_factor('holder: {rules: {male: "("}}'), "factors.holder.rules.male"),
    "an expression that fits everything": (
        with_factor('holder: {rules: {male: "(he)?"}}'),
        "factors.holder.rules.male",
    ),
    "a word of two levels": (
        with_factor("holder: {rules: {male: [he], other: [HE]}}"),
        "factors.holder.rules.other[0]",
    ),
    "a word without letters": (with_factor('holder: {rules: {male: ["!"]}}'), "factors.holder.rules.male[0]"),
    "a reference that no rule gives": (
        with_factor("holder: {rules: {male: [he]}, otherwise: none, reference: nobody}"),
        "factors.holder.reference",
    ),
    "a map from nothing": (with_factor("kind: {map: {from: gendr, file: a.csv}}"), "factors.kind.map.from"),
    "a map of prompts from a factor of models": (
        with_factor("family: {map: {from: model, file: a.csv}}"),
        "factors.family.type",
    ),
    "a map of models from a factor of prompts": (
        with_factor("family: {type: model, map: {from: gender, file: a.csv}}"),
        "factors.family.map.from",
    ),
    "a condition on a level that is none": (
        {**TWO, "factors": f"{{{GENDER}, cot: {{levels: [a, b], reference: a, when: {{gender: men}}}}}}"},
        "factors.cot.when.gender",
    ),
    "a condition on a factor that every prompt has": (
        {**TWO, "factors": f"{{{GENDER}, cot: {{levels: [a, b], reference: a, when: {{task: question}}}}}}"},
        "factors.cot.when.task",
    ),
    "a condition of a factor that no prompt brings": (
        {**SCRAPE, "factors": "{concept: {reference: Italy, when: {task: question}}}"},
        "factors.concept.when",
    ),
}


@pytest.mark.parametrize(("sections", "field"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_at_its_field(mistaken, sections, field):
    assert mistaken(sections) == [field]


ALONE = {
    "rules and a map": "{rules: {a: [x]}, map: {from: gender, file: a.csv}}",
    "otherwise without rules": "{otherwise: none}",
    "rules of models": "{type: model, rules: {a: [x]}}",
    "other levels beside rules": "{levels: [b], rules: {a: [x]}}",
    "texts beside rules": "{texts: {a: b}, rules: {a: [x]}}",
    "texts beside a map": "{texts: {a: b}, map: {from: gender, file: a.csv}}",
    "a condition without a reference": "{when: {gender: man}}",
}


@pytest.mark.parametrize("factor", ALONE.values(), ids=ALONE)
def test_a_factor_has_one_origin(mistaken, factor):
    assert "factors.other" in mistaken(with_factor(f"other: {factor}"))


def test_a_factor_that_prompts_bring_is_not_derived(mistaken):
    sections = {**TEMPLATES, "factors": "{gender: {rules: {woman: [she], man: [he]}}}"}
    assert "factors.gender.rules" in mistaken(sections)


def test_factors_that_are_mapped_from_each_other_are_told(mistaken):
    sections = with_factor("a: {map: {from: b, file: a.csv}}, b: {map: {from: a, file: a.csv}}")
    assert mistaken(sections) == ["factors.a.map.from", "factors.b.map.from"]


def test_a_listed_combination_that_a_condition_forbids_is_told(mistaken):
    text = '{templates: {combinations: [{gender: man, cot: b}], texts: [{id: t, text: "{gender} {cot}"}]}}'
    factors = f"{{{GENDER}, cot: {{levels: [a, b], reference: a, when: {{gender: woman}}}}}}"
    assert mistaken({**TEMPLATES, "prompts": text, "factors": factors}) == ["prompts.templates.combinations[0]"]


MAPPED = "kind: {map: {from: gender, file: kinds.csv}, reference: one}"


def test_a_declared_level_that_the_table_lacks_is_told_before_anything_runs(tmp_path, mistaken):
    (tmp_path / "kinds.csv").write_text("gender,kind\nwoman,one\n")
    assert mistaken(with_factor(MAPPED), check_files=True) == ["factors.kind.map.file"]


def test_a_reference_that_the_table_does_not_give_is_told(tmp_path, mistaken):
    (tmp_path / "kinds.csv").write_text("gender,kind\nwoman,two\nman,two\n")
    assert mistaken(with_factor(MAPPED), check_files=True) == ["factors.kind.reference"]


def test_a_model_of_a_system_that_the_table_lacks_is_told(tmp_path, mistaken):
    (tmp_path / "families.csv").write_text("model,family\nm1,x\n")
    sections = with_factor("family: {type: model, map: {from: model, file: families.csv}}")
    sections["systems"] = '[{name: "{model}", provider: openai, model: [m1, m2]}]'
    assert mistaken(sections, check_files=True) == ["factors.family.map.file"]


def test_a_table_that_is_there_makes_the_study_valid(tmp_path, write_study):
    (tmp_path / "kinds.csv").write_text("gender,kind\nwoman,one\nman,two\n")
    study = load_study(write_study(with_factor(MAPPED)))
    assert study.groupings == [("gender",), ("kind",)]


def test_levels_of_rules_keep_their_order_in_the_stored_file(write_study):
    study = load_study(write_study(with_factor("holder: {rules: {she: [she], he: [he]}, otherwise: another}")))
    assert level_positions(json.loads(study.config_json))["holder"] == {"she": 0, "he": 1, "another": 2}

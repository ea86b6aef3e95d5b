import json

import pytest

from python_assets.study.factors import level_positions
from python_assets.study_file.load import load_study
from tests.python_assets.study_file.sections import SCRAPE, TEMPLATES

GENDER = "gender: {levels: [woman, man]}"
TWO = {
    **TEMPLATES,
    "prompts": '{templates: {cross: [gender, cot], texts: [{id: t, text: "A {gender} {cot}."}]}}',
}


def with_factor(text, sections=TEMPLATES):
    return {**sections, "factors": f"{{{GENDER}, {text}}}"}


CASES = {
    "an expression that is none": (
        with_factor('holder: {rules: {male: "("}}'),
        'factors.holder.rules.male: got "("; expected a regular expression (missing ) at position 1); '
        "correct it, or write [word, word]",
    ),
    "an expression that fits everything": (
        with_factor('holder: {rules: {male: "(he)?"}}'),
        'factors.holder.rules.male: got "(he)?"; expected an expression that an empty text does not match; '
        "make it find a word",
    ),
    "a word of two levels": (
        with_factor("holder: {rules: {male: [he], other: [HE]}}"),
        "factors.holder.rules.other[0]: got \"HE\"; expected a word of one level; it stands for 'male' too; "
        "remove one of them",
    ),
    "a word without letters": (
        with_factor('holder: {rules: {male: ["!"]}}'),
        'factors.holder.rules.male[0]: got "!"; expected a word with a letter or a digit; '
        "write an expression instead, or remove it",
    ),
    "a reference that no rule gives": (
        with_factor("holder: {rules: {male: [he]}, otherwise: none, reference: nobody}"),
        "factors.holder.reference: got \"nobody\"; expected a level of holder: 'male', 'none'; "
        "correct it, or add it to the levels",
    ),
    "a map from nothing": (
        with_factor("kind: {map: {from: gendr, file: a.csv}}"),
        "factors.kind.map.from: got \"gendr\"; expected a factor of the prompts: 'gender', 'source_tag', "
        "'keyword', 'document', 'task', 'is_root', 'template'; did you mean 'gender'?",
    ),
    "a map of prompts from a factor of models": (
        with_factor("family: {map: {from: model, file: a.csv}}"),
        'factors.family.type: got "domain"; expected type: model, because model is a factor of models; '
        "write type: model",
    ),
    "a map of models from a factor of prompts": (
        with_factor("family: {type: model, map: {from: gender, file: a.csv}}"),
        "factors.family.map.from: got \"gender\"; expected a factor of models: 'decoding', "
        "'extension', 'generation', 'model', 'role', 'study', 'wave'; did you mean 'generation'?",
    ),
    "a condition on a level that is none": (
        {**TWO, "factors": f"{{{GENDER}, cot: {{levels: [a, b], reference: a, when: {{gender: men}}}}}}"},
        "factors.cot.when.gender: got \"men\"; expected a level of gender: 'woman', 'man'; "
        "did you mean 'man'?",
    ),
    "a condition on a factor that every prompt has": (
        {**TWO, "factors": f"{{{GENDER}, cot: {{levels: [a, b], reference: a, when: {{task: question}}}}}}"},
        'factors.cot.when.task: got "task"; expected another factor that the prompts bring, without a '
        "condition of its own: 'gender'; take one of them; 'source_tag', 'keyword', 'document', 'task', "
        "'is_root' are none",
    ),
    "a condition of a factor that no prompt brings": (
        {**SCRAPE, "factors": "{concept: {reference: Italy, when: {task: question}}}"},
        'factors.concept.when: got {"task": "question"}; expected a factor that templates cross or an import '
        "has a column of; remove when",
    ),
}


@pytest.mark.parametrize(("sections", "expected"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_with_field_value_expectation_and_remedy(problem_texts, sections, expected):
    assert problem_texts(sections) == [expected]


ALONE = {
    "rules and a map": (
        "{rules: {a: [x]}, map: {from: gender, file: a.csv}}",
        "one of rules and map; keep one",
    ),
    "otherwise without rules": ("{otherwise: none}", "rules beside otherwise"),
    "rules of models": ("{type: model, rules: {a: [x]}}", "type domain or prompt, for rules read the text"),
    "other levels beside rules": ("{levels: [b], rules: {a: [x]}}", "levels that the rules name, or none"),
    "texts beside rules": ("{texts: {a: b}, rules: {a: [x]}}", "no texts beside rules"),
    "texts beside a map": ("{texts: {a: b}, map: {from: gender, file: a.csv}}", "no texts beside map"),
    "a condition without a reference": ("{when: {gender: man}}", "reference beside when"),
}


@pytest.mark.parametrize(("factor", "expected"), ALONE.values(), ids=ALONE)
def test_a_factor_has_one_origin(problem_texts, factor, expected):
    assert any(expected in text for text in problem_texts(with_factor(f"other: {factor}")))


def test_a_factor_that_prompts_bring_is_not_derived(problem_texts):
    sections = {**TEMPLATES, "factors": "{gender: {rules: {woman: [she], man: [he]}}}"}
    assert any(
        text.startswith('factors.gender.rules: got "gender"; expected a factor that prompts do not bring')
        for text in problem_texts(sections)
    )


def test_factors_that_are_mapped_from_each_other_are_told(problem_texts):
    sections = with_factor("a: {map: {from: b, file: a.csv}}, b: {map: {from: a, file: a.csv}}")
    assert problem_texts(sections) == [
        f'factors.{one}.map.from: got "{other}"; expected a factor that is not mapped back from this one; '
        "break the circle"
        for one, other in (("a", "b"), ("b", "a"))
    ]


def test_a_listed_combination_that_a_condition_forbids_is_told(problem_texts):
    text = '{templates: {combinations: [{gender: man, cot: b}], texts: [{id: t, text: "{gender} {cot}"}]}}'
    factors = f"{{{GENDER}, cot: {{levels: [a, b], reference: a, when: {{gender: woman}}}}}}"
    assert problem_texts({**TEMPLATES, "prompts": text, "factors": factors}) == [
        'prompts.templates.combinations[0]: got {"gender": "man", "cot": "b"}; expected levels that the '
        "conditions of factors (when) allow together; correct the combination, or take it out"
    ]


MAPPED = "kind: {map: {from: gender, file: kinds.csv}, reference: one}"


def test_a_declared_level_that_the_table_lacks_is_told_before_anything_runs(tmp_path, problem_texts):
    (tmp_path / "kinds.csv").write_text("gender,kind\nwoman,one\n")
    assert problem_texts(with_factor(MAPPED), check_files=True) == [
        'factors.kind.map.file: got "kinds.csv"; expected a table of levels (kinds.csv has no row for gender '
        "'man'); add a row for each level, or correct its spelling"
    ]


def test_a_reference_that_the_table_does_not_give_is_told(tmp_path, problem_texts):
    (tmp_path / "kinds.csv").write_text("gender,kind\nwoman,two\nman,two\n")
    assert problem_texts(with_factor(MAPPED), check_files=True) == [
        "factors.kind.reference: got \"one\"; expected a level of kind: 'two'; correct it, or "
        "add it to the levels"
    ]


def test_a_model_of_a_generation_that_the_table_lacks_is_told(tmp_path, problem_texts):
    (tmp_path / "families.csv").write_text("model,family\nm1,x\n")
    sections = with_factor("family: {type: model, map: {from: model, file: families.csv}}")
    sections["generations"] = '[{name: "{model}", provider: openai, model: [m1, m2]}]'
    (text,) = problem_texts(sections, check_files=True)
    assert "families.csv has no row for model 'm2'" in text


def test_a_table_that_is_there_makes_the_study_valid(tmp_path, write_study):
    (tmp_path / "kinds.csv").write_text("gender,kind\nwoman,one\nman,two\n")
    study = load_study(write_study(with_factor(MAPPED)))
    assert study.groupings == [("gender",), ("kind",)]


def test_levels_of_rules_keep_their_order_in_the_stored_file(write_study):
    study = load_study(
        write_study(with_factor("holder: {rules: {she: [she], he: [he]}, otherwise: another}"))
    )
    assert level_positions(json.loads(study.config_json))["holder"] == {"she": 0, "he": 1, "another": 2}

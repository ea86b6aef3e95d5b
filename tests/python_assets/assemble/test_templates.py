import pytest

from python_assets.assemble.templates import prompts_from_templates
from python_assets.errors import SourceError
from python_assets.study.study import Template, Templates

FACTORS = {
    "gender": {"levels": ["Female", "Male"], "texts": {"Female": "woman", "Male": "man"}},
    "race": {"levels": ["Chinese", "Malay"]},
}
TEXTS = [
    {"id": "t1", "text": "A {race} {gender} came.", "baseline": "A {gender} came and went."},
    {"id": "t2", "text": "Is a {gender} here?"},
]


def prompts_of(make_study, factors=None, **templates):
    study = make_study(
        {"templates": {"texts": TEXTS, "cross": ["gender", "race"], **templates}}, factors=factors or FACTORS
    )
    return prompts_from_templates(study, study.prompts.templates)


def test_every_template_is_crossed_with_every_combination(make_study):
    prompts, n_left_out = prompts_of(make_study)
    assert n_left_out == 0
    assert [prompt.prompt_id for prompt in prompts][:4] == [
        "t1 > Female x Chinese",
        "t1 > Female x Malay",
        "t1 > Male x Chinese",
        "t1 > Male x Malay",
    ]
    assert len(prompts) == 8
    assert {prompt.root_prompt_id for prompt in prompts} == {"t1", "t2"}
    assert prompts[1].prompt_text == "A Malay woman came."
    assert prompts[1].levels == {"template": "t1", "gender": "Female", "race": "Malay"}
    assert prompts[1].replacements == {"{gender}": "woman", "{race}": "Malay"}


def test_the_first_combination_is_the_root_without_references(make_study):
    prompts, _ = prompts_of(make_study)
    assert [prompt.prompt_id for prompt in prompts if prompt.is_root] == [
        "t1 > Female x Chinese",
        "t2 > Female x Chinese",
    ]


def test_the_reference_combination_is_the_root(make_study):
    factors = {name: {**factor, "reference": factor["levels"][1]} for name, factor in FACTORS.items()}
    prompts, _ = prompts_of(make_study, factors=factors)
    assert [prompt.prompt_id for prompt in prompts if prompt.is_root] == [
        "t1 > Male x Malay",
        "t2 > Male x Malay",
    ]


def test_baselines_of_other_combinations_are_counterfactual(make_study):
    prompts, _ = prompts_of(make_study)
    assert [(prompt.baseline_text, prompt.baseline_kind) for prompt in prompts][1:5] == [
        ("A woman came and went.", "counterfactual"),
        ("A man came and went.", "counterfactual"),
        ("A man came and went.", "counterfactual"),
        (None, None),
    ]
    assert prompts[0].baseline_kind == "actual"


def test_listed_combinations_replace_the_factorial(make_study):
    combinations = [{"gender": "Female", "race": "Malay"}, {"gender": "Male", "race": "Chinese"}]
    prompts, _ = prompts_of(make_study, cross=[], combinations=combinations)
    assert [prompt.prompt_id for prompt in prompts][:2] == ["t1 > Female x Malay", "t1 > Male x Chinese"]
    assert len(prompts) == 4


def test_a_template_without_crossed_factors_is_one_prompt(make_study):
    study = make_study(
        {
            "templates": {"texts": [{"id": "t", "text": "Say { this } and {}."}]},
        },
        groupings=["template"],
    )
    prompts, _ = prompts_from_templates(study, study.prompts.templates)
    assert [(prompt.prompt_id, prompt.prompt_text, prompt.is_root) for prompt in prompts] == [
        ("t", "Say { this } and {}.", True)
    ]


def test_factors_of_a_template_are_factors_of_its_prompts(make_study):
    factors = {"gender": FACTORS["gender"], "style": {"levels": ["base", "chat"]}}
    texts = [{"id": style, "text": "A {gender}.", "factors": {"style": style}} for style in ("base", "chat")]
    prompts, _ = prompts_of(make_study, factors=factors, texts=texts, cross=["gender"])
    assert [prompt.levels["style"] for prompt in prompts] == ["base", "base", "chat", "chat"]


def test_a_bound_keeps_so_many_templates_of_the_same_own_factors(make_study):
    texts = [{"id": f"t{n}", "text": f"A {{gender}} {n}."} for n in range(9)]
    factors = {"gender": FACTORS["gender"]}
    prompts, n_left_out = prompts_of(make_study, factors, texts=texts, cross=["gender"], max_per_level=3)
    assert n_left_out == 6
    assert len(prompts) == 6


def test_what_is_no_slot_stays_as_it_is(make_study):
    text = "{gender.__class__} {gender!r} {{gender}}"
    prompts, _ = prompts_of(make_study, texts=[{"id": "t", "text": text}])
    assert prompts[0].prompt_text == "{gender.__class__} {gender!r} {woman}"


def test_a_slot_without_a_factor_is_an_error(make_study):
    study = make_study({"templates": {"texts": TEXTS, "cross": ["gender", "race"]}}, factors=FACTORS)
    spec = Templates(texts=[Template(id="t", text="A {name}.")], cross=["gender"])
    with pytest.raises(SourceError, match=r"template 't': the slot \{name\} has no factor. Expected gender"):
        prompts_from_templates(study, spec)


def test_a_crossed_factor_without_levels_is_an_error(make_study):
    study = make_study({"templates": {"texts": TEXTS, "cross": ["gender", "race"]}}, factors=FACTORS)
    spec = Templates(texts=[Template(id="t", text="A.")], cross=["age"])
    with pytest.raises(SourceError, match="factor 'age' has no levels"):
        prompts_from_templates(study, spec)


SEED = {"levels": ["none", "1", "2"], "reference": "none", "when": {"cot": "yes"}}


def test_a_conditional_factor_has_its_reference_where_the_condition_fails(make_study):
    factors = {"cot": {"levels": ["yes", "no"]}, "seed": SEED}
    spec = {"texts": [{"id": "t", "text": "{cot} {seed}"}], "cross": ["cot", "seed"]}
    study = make_study({"templates": spec}, factors=factors)
    prompts, _ = prompts_from_templates(study, study.prompts.templates)
    assert [prompt.prompt_text for prompt in prompts] == ["yes 1", "yes 2", "no none"]
    assert [prompt.is_root for prompt in prompts] == [True, False, False]


def test_a_condition_may_be_met_by_the_template_itself(make_study):
    factors = {"cot": {"levels": ["yes", "no"]}, "seed": SEED}
    texts = [{"id": cot, "text": "{cot} {seed}", "factors": {"cot": cot}} for cot in ("yes", "no")]
    study = make_study({"templates": {"texts": texts, "cross": ["seed"]}}, factors=factors)
    prompts, _ = prompts_from_templates(study, study.prompts.templates)
    assert [prompt.prompt_text for prompt in prompts] == ["yes 1", "yes 2", "no none"]


def test_a_template_that_no_combination_fits_is_an_error(make_study):
    factors = {"cot": {"levels": ["yes", "no"]}, "seed": SEED}
    texts = [{"id": "t", "text": "{cot} {seed}", "factors": {"cot": "no"}}]
    spec = {"texts": texts, "combinations": [{"seed": "1"}]}
    study = make_study({"templates": spec}, factors=factors)
    with pytest.raises(SourceError, match="no combination of levels fits template 't'"):
        prompts_from_templates(study, study.prompts.templates)

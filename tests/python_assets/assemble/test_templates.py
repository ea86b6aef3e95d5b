import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from python_assets.assemble.templates import prompts_from_templates
from python_assets.errors import SourceError
from python_assets.study.study import Template, Templates
from python_assets.study_file.load import load_study

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
    prompts, n_left_out, _ = prompts_of(make_study)
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
    prompts, *_ = prompts_of(make_study)
    assert [prompt.prompt_id for prompt in prompts if prompt.is_root] == [
        "t1 > Female x Chinese",
        "t2 > Female x Chinese",
    ]


def test_the_reference_combination_is_the_root(make_study):
    factors = {name: {**factor, "reference": factor["levels"][1]} for name, factor in FACTORS.items()}
    prompts, *_ = prompts_of(make_study, factors=factors)
    assert [prompt.prompt_id for prompt in prompts if prompt.is_root] == ["t1 > Male x Malay", "t2 > Male x Malay"]


def test_baselines_of_other_combinations_are_counterfactual(make_study):
    prompts, *_ = prompts_of(make_study)
    assert [(prompt.baseline_text, prompt.baseline_kind) for prompt in prompts][1:5] == [
        ("A woman came and went.", "counterfactual"),
        ("A man came and went.", "counterfactual"),
        ("A man came and went.", "counterfactual"),
        (None, None),
    ]
    assert prompts[0].baseline_kind == "actual"


def test_listed_combinations_replace_the_factorial(make_study):
    combinations = [{"gender": "Female", "race": "Malay"}, {"gender": "Male", "race": "Chinese"}]
    prompts, *_ = prompts_of(make_study, cross=[], combinations=combinations)
    assert [prompt.prompt_id for prompt in prompts][:2] == ["t1 > Female x Malay", "t1 > Male x Chinese"]
    assert len(prompts) == 4


def test_a_template_without_crossed_factors_is_one_prompt(make_study):
    study = make_study({"templates": {"texts": [{"id": "t", "text": "Say { this } and {}."}]}}, groupings=["template"])
    prompts, *_ = prompts_from_templates(study, study.prompts.templates)
    assert [(prompt.prompt_id, prompt.prompt_text, prompt.is_root) for prompt in prompts] == [
        ("t", "Say { this } and {}.", True)
    ]


def test_factors_of_a_template_are_factors_of_its_prompts(make_study):
    factors = {"gender": FACTORS["gender"], "style": {"levels": ["base", "chat"]}}
    texts = [{"id": style, "text": "A {gender}.", "factors": {"style": style}} for style in ("base", "chat")]
    prompts, *_ = prompts_of(make_study, factors=factors, texts=texts, cross=["gender"])
    assert [prompt.levels["style"] for prompt in prompts] == ["base", "base", "chat", "chat"]


def test_a_bound_keeps_so_many_templates_of_the_same_own_factors(make_study):
    texts = [{"id": f"t{n}", "text": f"A {{gender}} {n}."} for n in range(9)]
    factors = {"gender": FACTORS["gender"]}
    prompts, n_left_out, _ = prompts_of(make_study, factors, texts=texts, cross=["gender"], max_per_level=3)
    assert n_left_out == 6
    assert len(prompts) == 6


def test_what_is_no_slot_stays_as_it_is(make_study):
    text = "{gender.__class__} {gender!r} {{gender}}"
    prompts, *_ = prompts_of(make_study, texts=[{"id": "t", "text": text}])
    assert prompts[0].prompt_text == "{gender.__class__} {gender!r} {woman}"


def test_a_slot_without_a_factor_is_an_error(make_study, refused):
    study = make_study({"templates": {"texts": TEXTS, "cross": ["gender", "race"]}}, factors=FACTORS)
    spec = Templates(texts=[Template(id="t", text="A {name}.")], cross=["gender"])
    with refused(SourceError, "prompts.templates.texts.t"):
        prompts_from_templates(study, spec)


def test_a_crossed_factor_without_levels_is_an_error(make_study, refused):
    study = make_study({"templates": {"texts": TEXTS, "cross": ["gender", "race"]}}, factors=FACTORS)
    spec = Templates(texts=[Template(id="t", text="A.")], cross=["age"])
    with refused(SourceError, "prompts.templates.cross"):
        prompts_from_templates(study, spec)


SEED = {"levels": ["none", "1", "2"], "reference": "none", "when": {"cot": "yes"}}


def test_a_conditional_factor_has_its_reference_where_the_condition_fails(make_study):
    factors = {"cot": {"levels": ["yes", "no"]}, "seed": SEED}
    spec = {"texts": [{"id": "t", "text": "{cot} {seed}"}], "cross": ["cot", "seed"]}
    study = make_study({"templates": spec}, factors=factors)
    prompts, *_ = prompts_from_templates(study, study.prompts.templates)
    assert [prompt.prompt_text for prompt in prompts] == ["yes 1", "yes 2", "no none"]
    assert [prompt.is_root for prompt in prompts] == [True, False, False]


def test_a_condition_may_be_met_by_the_template_itself(make_study):
    factors = {"cot": {"levels": ["yes", "no"]}, "seed": SEED}
    texts = [{"id": cot, "text": "{cot} {seed}", "factors": {"cot": cot}} for cot in ("yes", "no")]
    study = make_study({"templates": {"texts": texts, "cross": ["seed"]}}, factors=factors)
    prompts, *_ = prompts_from_templates(study, study.prompts.templates)
    assert [prompt.prompt_text for prompt in prompts] == ["yes 1", "yes 2", "no none"]


def test_a_template_that_no_combination_fits_is_an_error(make_study, refused):
    factors = {"cot": {"levels": ["yes", "no"]}, "seed": SEED}
    texts = [{"id": "t", "text": "{cot} {seed}", "factors": {"cot": "no"}}]
    spec = {"texts": texts, "combinations": [{"seed": "1"}]}
    study = make_study({"templates": spec}, factors=factors)
    with refused(SourceError, "prompts.templates.texts.t"):
        prompts_from_templates(study, study.prompts.templates)


QUESTION = {
    "id": "t1",
    "text": "I saw a {gender} and a child. Who drove?\n{options}\nAnswer with a letter.",
    # in the order of the letters, as the fixture writes mappings
    "options": {"adult": "The {gender}", "child": "The child", "unknown": "Cannot be told"},
}


def test_options_are_rotated_and_their_order_is_a_factor(make_study):
    prompts, *_ = prompts_of(make_study, texts=[QUESTION], cross=["gender"])
    assert [prompt.prompt_id for prompt in prompts][:3] == [
        "t1 > Female > 1-2-3",
        "t1 > Female > 2-3-1",
        "t1 > Female > 3-1-2",
    ]
    assert prompts[1].prompt_text == (
        "I saw a woman and a child. Who drove?\nA. The child\nB. Cannot be told\nC. The woman\nAnswer with a letter."
    )
    assert prompts[1].levels == {"template": "t1", "gender": "Female", "option_order": "2-3-1"}
    assert prompts[1].replacements["{options}"] == "A. The child\nB. Cannot be told\nC. The woman"
    assert [prompt.is_root for prompt in prompts] == [True, *[False] * 5]
    # every option stands at every place once
    shown = {prompt.prompt_text.split("A. ")[1].split("\n")[0] for prompt in prompts[:3]}
    assert shown == {"The woman", "The child", "Cannot be told"}


def test_a_template_without_options_beside_one_with_them_has_no_order(make_study):
    prompts, *_ = prompts_of(make_study, texts=[QUESTION, {"id": "t2", "text": "Hm?"}], cross=["gender"])
    assert {p.levels["option_order"] for p in prompts if p.root_prompt_id == "t2"} == {"(none)"}
    assert len(prompts) == 6 + 2


def test_options_of_a_list_are_called_by_their_text():
    assert Template.model_validate({**QUESTION, "options": ["a", "b"]}).options == {"a": "a", "b": "b"}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"options": ["a"]}, "at least 2 items"),
        ({"options": []}, "at least 2 items"),
        ({"options": ["a", "a"]}, "each option once, not 'a' twice; remove one"),
        ({"options": [str(i) for i in range(27)]}, "at most 26 items"),
        ({"text": "Who drove?"}, "a text that holds {options} once; write it where the options stand"),
        ({"text": "{options} {options}"}, "a text that holds {options} once"),
        ({"options": None}, "options: for the slot {options}; add them, or take the slot away"),
    ],
)
def test_a_choice_that_is_none_is_refused(changed, expected):
    with pytest.raises(ValidationError, match=re.escape(expected)):
        Template.model_validate({**QUESTION, **changed})


def _examples() -> dict[str, str]:
    page = (Path(__file__).parents[3] / "docs" / "prompts.md").read_text(encoding="utf-8")
    section = page.split("## Multiple choice\n")[1].split("\n## ")[0]
    texts = re.findall(r"In the manner of (\w+).*?```yaml\n(.*?)```", section, flags=re.DOTALL)
    return {name.lower(): text for name, text in texts}


@pytest.mark.parametrize(("name", "n_prompts"), [("bbq", 6), ("crows", 4), ("stereoset", 6)])
def test_the_examples_of_the_guide_are_studies(tmp_path, name, n_prompts):
    file = tmp_path / f"{name}.yml"
    file.write_text(_examples()[name] + "systems: [{name: m, provider: simulator}]\n")
    study = load_study(file)
    prompts, *_ = prompts_from_templates(study, study.prompts.templates)
    assert len({prompt.prompt_text for prompt in prompts}) == len(prompts) == n_prompts
    assert "option_order" in prompts[0].levels


CONVERSATION = [
    {"role": "user", "content": "I am a {race} {gender}."},
    {"role": "assistant", "content": "Good day. How can I help a {gender}?"},
]


def test_the_slots_of_messages_are_filled_as_those_of_the_text(make_study):
    texts = [{"id": "t", "text": "What of my loan?", "messages": CONVERSATION}]
    prompts, *_ = prompts_of(make_study, texts=texts)
    of_malay_men = prompts[3]
    assert of_malay_men.levels == {"template": "t", "gender": "Male", "race": "Malay"}
    assert [(one.role, one.content) for one in of_malay_men.messages] == [
        ("user", "I am a Malay man."),
        ("assistant", "Good day. How can I help a man?"),
    ]
    assert of_malay_men.prompt_text == "What of my loan?"
    assert of_malay_men.replacements == {"{gender}": "man", "{race}": "Malay"}


def test_a_text_after_other_messages_is_another_root_prompt(make_study):
    before = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]
    spaced = [{"role": "user", "content": " Hi.\u200b"}, before[1]]
    other = [before[0], {"role": "assistant", "content": "Go away."}]
    told = {"a": before, "b": spaced, "c": other, "d": None}
    texts = [{"id": key, "text": "A {gender}, {race}.", "messages": messages} for key, messages in told.items()]
    made = prompts_of(make_study, texts=texts)
    assert {prompt.root_prompt_id for prompt in made.prompts} == {"a", "c", "d"}
    assert made.same_as == {"b": "a"}

from python_assets.assemble.prompts import AssembledPrompt, prompt_tables
from python_assets.errors import SourceError

PROMPT = AssembledPrompt(
    prompt_id="p",
    root_prompt_id="r",
    is_root=False,
    task="question",
    prompt_text="Text",
    baseline_text=None,
    baseline_kind=None,
    source_tag="templates",
    levels={"gender": "Female"},
    replacements={"{gender}": "é"},
)


def test_derived_factors_stand_beside_the_declared():
    prompts, factors = prompt_tables([PROMPT])
    assert dict(zip(factors["factor"], factors["level"], strict=True)) == {
        "gender": "Female",
        "source_tag": "templates",
        "keyword": "(none)",
        "document": "(none)",
        "task": "question",
        "is_root": "false",
    }
    assert prompts.loc[0, ["unit_id", "keyword", "document_id", "replacements_json"]].tolist() == [
        "r",
        "",
        "",
        '{"{gender}": "é"}',
    ]


def test_a_derived_level_that_holds_the_separator_is_an_error(refused):
    with refused(SourceError, "keyword"):
        prompt_tables([PROMPT._replace(keyword="a x b")])


def test_no_prompts_give_empty_tables():
    prompts, factors = prompt_tables([])
    assert (len(prompts), len(factors)) == (0, 0)

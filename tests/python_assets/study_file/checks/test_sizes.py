import pytest

from python_assets.assemble.assemble_study import assemble
from python_assets.errors import StudyError
from python_assets.study.sizes import MOST_LEVELS
from tests.python_assets.study_file.sections import TEMPLATES

DIGITS = "9" * 5_000
LEVELS = ", ".join(f"l{number}" for number in range(10_000))
WIDE = ", ".join(f"l{number}" for number in range(MOST_LEVELS))
FACTORS = {
    name: f"{{levels: [{', '.join(f'{name}{number}' for number in range(1_000))}]}}" for name in ("a", "b", "c", "d")
}
CASES = {
    "6e12 calls": (
        {**TEMPLATES, "systems": "[{name: fair, provider: simulator, replicates: 3_000_000_000_000}]"},
        "systems",
    ),
    "6e12 calls of several generations": (
        {
            **TEMPLATES,
            "systems": '[{name: "fair {wave}", provider: simulator, replicates: 1000000000000, wave: [a, b, c]}]',
        },
        "systems",
    ),
    "1e12 crossed prompts": (
        {
            **TEMPLATES,
            "factors": f"{{{', '.join(f'{name}: {levels}' for name, levels in FACTORS.items())}}}",
            "prompts": '{templates: {cross: [a, b, c, d], texts: [{id: t1, text: "A {a} {b} {c} {d} asks."}]}}',
            "groupings": "[a]",
        },
        "prompts.templates.cross",
    ),
    "1e11 permutations": ({**TEMPLATES, "analysis": "{permutations: 100_000_000_000}"}, "analysis.permutations"),
    "1e11 resamples": ({**TEMPLATES, "analysis": "{bootstrap: 100_000_000_000}"}, "analysis.bootstrap"),
    "10,000 levels": ({**TEMPLATES, "factors": f"{{gender: {{levels: [{LEVELS}]}}}}"}, "factors.gender"),
    "a factor named all": (
        {
            **TEMPLATES,
            "factors": "{all: {levels: [woman, man]}}",
            "prompts": '{templates: {cross: [all], texts: [{id: t1, text: "A {all} asks."}]}}',
            "groupings": "[all]",
        },
        "factors.all",
    ),
    "a seed of 5,000 digits": ({**TEMPLATES, "analysis": f"{{seed: {DIGITS}}}"}, "analysis.seed"),
    "5,000 hexadecimal digits": ({**TEMPLATES, "analysis": f"{{bootstrap: 0x{'f' * 5_000}}}"}, "analysis.bootstrap"),
    "a level of 5,000 digits": (
        {**TEMPLATES, "factors": f"{{gender: {{levels: [woman, {DIGITS}]}}}}"},
        "factors.gender.levels[1]",
    ),
    "a float of 5,000 digits": ({**TEMPLATES, "analysis": f"{{alpha: {DIGITS}.5}}"}, "analysis.alpha"),
}


@pytest.mark.parametrize(("sections", "field"), CASES.values(), ids=CASES)
def test_what_no_machine_comes_to_an_end_of_is_told_with_its_number(mistaken, sections, field):
    assert field in mistaken(sections)


def test_as_many_levels_as_may_be_are_no_mistake(write_study):
    from python_assets.study_file.load import load_study

    path = write_study({**TEMPLATES, "factors": f"{{gender: {{levels: [{WIDE}]}}}}"})
    assert len(load_study(path).factors["gender"].levels) == MOST_LEVELS


@pytest.mark.parametrize(("column", "n", "field"), [("id", 1, "factors.gender"), ("sex", 10**7, "systems")])
def test_what_a_table_makes_of_it_is_told_before_anything_is_asked(make_study, build, refused, column, n, field):
    rows = "".join(f"p{number},l{number},{number % 2}\n" for number in range(MOST_LEVELS + 1))
    spec = {"path": "t.csv", "columns": {"prompt": "key", "prompt_text": "key"}, "factors": {"gender": column}}
    study = make_study(
        {"import": spec},
        {"t.csv": "key,id,sex\n" + rows},
        systems=[{"name": "one", "provider": "simulator", "replicates": n}],
    )
    with refused(StudyError, field):
        assemble(study, build)

import pytest

from tests.python_assets.study_file.sections import TEMPLATES

ANSWER = "{name: answer, choices: [woman, man]}"


def ruled(rule, answer=ANSWER, **changes):
    return {**TEMPLATES, "measures": f"[{answer}, {{name: biased, {rule}}}]", **changes}


CASES = {
    "a measure that is not there": (ruled("when: {measure: anser, equals_factor: gender}"), "measures[1].when.measure"),
    "a measure without labels": (
        ruled("when: {measure: vader, equals_factor: gender}", "vader"),
        "measures[1].when.measure",
    ),
    "a factor that is not there": (
        ruled("when: {measure: answer, equals_factor: gendr}"),
        "measures[1].when.equals_factor",
    ),
    "levels that are no labels": (
        ruled("when: {measure: answer, equals_factor: gender}", "{name: answer, choices: [Woman, man]}"),
        "measures[1].when.equals_factor",
    ),
    "another slice": (
        ruled(
            "when: {measure: answer, equals_factor: gender}",
            "{name: answer, choices: [woman, man], slice: men}",
            slices="{men: {gender: man}}",
        ),
        "measures[1].slice",
    ),
}


@pytest.mark.parametrize(("sections", "field"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_at_its_field(mistaken, sections, field):
    assert mistaken(sections) == [field]


def test_a_rule_is_binary(mistaken):
    rule = "kind: categorical, when: {measure: answer, equals_factor: gender}"
    assert mistaken(ruled(rule)) == ["measures[1]"]

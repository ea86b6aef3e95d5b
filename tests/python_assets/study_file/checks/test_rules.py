import pytest

from tests.python_assets.study_file.sections import TEMPLATES

ANSWER = "{name: answer, choices: [woman, man]}"


def ruled(rule, answer=ANSWER, **changes):
    return {**TEMPLATES, "measures": f"[{answer}, {{name: biased, {rule}}}]", **changes}


CASES = {
    "a measure that is not there": (
        ruled("when: {measure: anser, equals_factor: gender}"),
        "measures[1].when.measure: got \"anser\"; expected a measure with labels: 'answer'; "
        "did you mean 'answer'?",
    ),
    "a measure without labels": (
        ruled("when: {measure: vader, equals_factor: gender}", "vader"),
        'measures[1].when.measure: got "vader"; expected a measure with labels: none; '
        "add a measure with choices, patterns or a column of labels",
    ),
    "a factor that is not there": (
        ruled("when: {measure: answer, equals_factor: gendr}"),
        "measures[1].when.equals_factor: got \"gendr\"; expected a factor: 'gender', 'source_tag', "
        "'keyword', 'document', 'task', 'is_root', 'template'; did you mean 'gender'?",
    ),
    "levels that are no labels": (
        ruled("when: {measure: answer, equals_factor: gender}", "{name: answer, choices: [Woman, man]}"),
        'measures[1].when.equals_factor: got "gender"; expected levels that are labels of the measure: '
        "'Woman', 'man'; 'woman' is none; write labels and levels alike",
    ),
    "another slice": (
        ruled(
            "when: {measure: answer, equals_factor: gender}",
            "{name: answer, choices: [woman, man], slice: men}",
            slices="{men: {gender: man}}",
        ),
        "measures[1].slice: got null; expected the slice of answer, without which it has no labels; "
        "write slice: men",
    ),
}


@pytest.mark.parametrize(("sections", "expected"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_with_field_value_expectation_and_remedy(problem_texts, sections, expected):
    assert problem_texts(sections) == [expected]


def test_a_rule_is_binary(problem_texts):
    (text,) = problem_texts(ruled("kind: categorical, when: {measure: answer, equals_factor: gender}"))
    assert "kind binary without favourable for when" in text

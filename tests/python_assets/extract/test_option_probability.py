import json
import math

import pytest

from python_assets.extract.option_probability import letter_shares
from python_assets.study.study import Prompts

TEXTS = [
    {"id": "q", "text": "Who?\n{options}", "options": {"target": "Her", "other": "Him", "unknown": "None"}},
    {"id": "plain", "text": "Who?"},
]
MEASURE = {"name": "p_target", "option_probability": "target"}


def logs(**probabilities: float) -> str:
    return json.dumps({"first_token_logprobs": {token: math.log(p) for token, p in probabilities.items()}})


@pytest.mark.parametrize(
    ("logprobs", "shares"),
    [
        ({"A": 0.6, "B": 0.2}, [0.75, 0.25, 0.0]),
        # one letter, written in several ways; other words take nothing from the options
        ({"A": 0.1, " A": 0.2, "(A": 0.1, "B.": 0.1, "The": 0.5}, [0.8, 0.2, 0.0]),
        ({"\u2581C": 0.3, "\u0120B": 0.3, "**A": 0.3}, [1 / 3] * 3),
        # what is no letter of an option, though it begins with one or is one
        ({"An": 0.5, "D": 0.3, "a": 0.1, "A": 0.1}, [1.0, 0.0, 0.0]),
        ({"The": 0.9}, None),
        ({}, None),
    ],
)
def test_letters_share_the_probability_of_all_letters(logprobs, shares):
    found = letter_shares({token: math.log(p) for token, p in logprobs.items()}, 3)
    assert found == (None if shares is None else pytest.approx(shares))


def test_probabilities_too_small_for_a_number_are_none():
    assert letter_shares({"A": -1e6, "B": -1e6}, 2) is None


@pytest.fixture
def measured(build, make_study):
    """Measure contexts of responses to prompts: rows of the measure."""

    def measure(*rows):
        prompts = {"p1": "1-2-3", "p2": "2-3-1", "p3": "(none)"}
        build.prompts(**dict.fromkeys(prompts))
        of_template = [(p, "template", "plain" if order == "(none)" else "q") for p, order in prompts.items()]
        build.factors(*of_template, *((p, "option_order", order) for p, order in prompts.items()))
        build.responses(*((prompt, text, outcome, n) for n, (prompt, text, outcome, _) in enumerate(rows)))
        for n, (*_, context) in enumerate(rows):
            build.connection.execute("update raw.responses set context_json = ? where replicate = ?", [context, n])
        templates = {"templates": {"texts": TEXTS, "task": "question"}}
        build.extract(make_study(MEASURE, prompts=Prompts.model_validate(templates)))
        return build.rows("p_target", "value", "reason")

    return measure


def test_the_option_of_a_role_is_followed_through_the_rotations(measured):
    likely = logs(A=0.6, B=0.2, C=0.2)
    first, second = measured(("p1", "A", "ok", likely), ("p2", "A", "ok", likely))
    assert first == (pytest.approx(0.6), None)
    # the order is other, unknown, target
    assert second == (pytest.approx(0.2), None)


def test_what_has_no_probability_says_why(measured):
    assert measured(
        ("p1", "A", "ok", None),
        ("p1", "A", "ok", "{}"),
        ("p1", "Hm", "ok", logs(Hm=0.9)),
        ("p1", "I cannot", "refused", logs(A=0.9)),
        ("p1", None, "error", None),
        ("p3", "Her", "ok", logs(A=0.9)),
    ) == [
        (None, "no_option_probability"),
        (None, "no_option_probability"),
        (None, "no_option_probability"),
        (None, "response_refused"),
        (None, "response_error"),
        (None, "no_option"),
    ]


def test_the_measure_says_what_it_is(build, make_study, measured):
    measured(("p1", "A", "ok", logs(A=0.5, B=0.5)))
    query = "select kind, unit, scale_low, scale_high, parameters from raw.measures where measure_id = ?"
    assert build.connection.execute(query, ["p_target"]).fetchall() == [
        ("continuous", "probability", 0.0, 1.0, "option=target")
    ]

"""The responses that a card quotes: those of finding_prompts, each with what was read from it."""

import pytest

from tests.python_assets.report.conftest import SENTIMENT

MEAN = SENTIMENT | {"grouping_id": "concept", "statistic": "mean", "parameters": ""}
GROUP = {"group_id": "Brazil", "category": "", "reference": "rest"}
FINDING = MEAN | {
    "finding_rank": 1,
    "family_id": "primary",
    "is_tool_bias": False,
    "is_repeated": False,
    "verdict": "different",
    "is_preregistered": False,
    "sentence": "Brazil scores 0.15 above the rest.",
}
DIRECTION = {"direction": "advantaged", "position": 1, "value": 0.15, "sentence": "Brazil: higher."}
PAIR = {
    "position": 1,
    "root_prompt_id": "r1",
    "difference": 0.2,
    "prompt_id": "r1_Brazil",
    "other_prompt_id": "r1_Chad",
    "replicate": 2,
    "other_replicate": 1,
    "chosen_for": "nearest_to_difference",
}


def responses(**values):
    """Replicates of both prompts: (text, value, calibrated value) of each."""
    keys = [
        ({"system_id": "biased", "prompt_id": f"r1_{group}", "replicate": replicate}, *read)
        for group, reads in values.items()
        for replicate, read in enumerate(reads)
    ]
    return {
        "responses": [key | {"response_text": text, "status": "ok"} for key, text, *_ in keys],
        "measurements": [
            key | {"measure_id": "sentiment", "value": value, "calibrated_value": calibrated, "scorer_version": "1"}
            for key, _, value, calibrated in keys
        ],
    }


SAID = responses(
    Brazil=[("Brazil, first.", 0.0, -0.5), ("Brazil, second.", 0.1, -0.4), ("Brazil, third.", 0.625, 0.125)],
    Chad=[("Chad, first.", 0.0, -0.5), ("Chad, <second>.", -0.25, -0.75)],
)


@pytest.fixture
def findings(report):
    """The words of the findings; pairs: of finding_prompts."""

    def read(*pairs, **finding):
        page = report(
            findings=[FINDING | finding],
            finding_groups=[MEAN | GROUP | DIRECTION | finding],
            finding_prompts=[MEAN | GROUP | finding | pair for pair in pairs],
            **SAID,
        )
        return " ".join(page.sections["findings"].split())

    return read


def test_the_replicates_of_the_pair_are_quoted_with_their_values(findings):
    shown = findings(PAIR)
    quoted = ("Brazil: 0.625", "Brazil, third.", "Chad: −0.250", "Chad, <second>.")
    assert [text for text in quoted if text not in shown] == []
    assert "first." not in shown
    assert "are quoted" not in shown
    assert "Brazil minus the mean of the others on this prompt: +0.20; this pair: +0.88" in shown


def test_of_an_event_both_responses_are_named(findings):
    shown = findings(PAIR | {"chosen_for": "event", "difference": -0.125})
    assert "Brazil minus the mean of the others on this prompt: −12.5 points; this pair: 0.625 and −0.250" in shown


def test_of_calibrated_values_those_stand_beside_the_texts(findings):
    shown = findings(PAIR, calibration="calibrated")
    assert "Brazil: 0.125" in shown
    assert "Chad: −0.750" in shown


def test_a_group_whose_responses_never_differ_has_no_quote_and_the_card_says_so(findings):
    shown = findings()
    assert "No responses of Brazil are quoted: no two responses to matching prompts differ in this direction." in shown
    assert "differs most" not in shown


@pytest.mark.parametrize("finding", [{"statistic": "variance"}, {"calibration": "corrected"}])
def test_what_single_responses_need_not_show_has_no_such_line(findings, finding):
    assert "are quoted" not in findings(**finding)

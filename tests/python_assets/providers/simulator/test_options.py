from typing import Any

import pytest

from python_assets.providers.simulator.options import LabelProbabilities, option_problems, options_in_wave, read_options


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"mood": {}}, "options.mood"),
        ({"sentiment": 0.5}, "options.sentiment"),
        ({"sentiment": {"bias": 1}}, "options.sentiment.bias"),
        ({"sentiment": {"base": "low"}}, "options.sentiment.base"),
        ({"sentiment": {"base": True}}, "options.sentiment.base"),
        ({"sentiment": {"base": float("nan")}}, "options.sentiment.base"),
        ({"sentiment": {"spread": -0.1}}, "options.sentiment.spread"),
        ({"refusal": {"base": 1.5}}, "options.refusal.base"),
        ({"refusal": {"effects": [1]}}, "options.refusal.effects"),
        ({"refusal": {"effects": {"c": 1}}}, "options.refusal.effects.c"),
        ({"refusal": {"effects": {"c": {"A": "x"}}}}, "options.refusal.effects.c.A"),
        ({"labels": {}}, "options.labels.choices"),
        ({"labels": {"yes": 0.5, "no": 0.5}}, "options.labels"),
        ({"labels": ["yes", "no"]}, "options.labels"),
        ({"labels": {"choices": ["yes", "no"], "effects": {"c": {"A": {"yes": 0.1}}}}}, "options.labels.choices"),
        ({"labels": {"choices": {"yes": 0.5, "no": 0.4}}}, "options.labels.choices"),
        ({"labels": {"choices": {"yes": 2, "no": -1}}}, "options.labels.choices.yes"),
        ({"labels": {"choices": {True: 1.0}}}, "options.labels.choices"),
        (
            {"labels": {"choices": {"yes": 1.0}, "effects": {"c": {"A": {"maybe": 0.1}}}}},
            "options.labels.effects.c.A.maybe",
        ),
        ({"labels": {"choices": {"yes": 1.0}, "effects": {"c": {"A": 0.1}}}}, "options.labels.effects.c.A"),
        ({"in_waves": {"2026-11": {"mood": {}}}}, 'options.in_waves["2026-11"].mood'),
        ({"in_waves": {"2026-11": {"refusal": {"base": 2}}}}, 'options.in_waves["2026-11"].refusal.base'),
        ({"in_waves": {"2026-11": {"in_waves": {}}}}, 'options.in_waves["2026-11"].in_waves'),
        ({"in_waves": {"2026-11": 0.2}}, "options.in_waves"),
        ({"in_waves": 0.2}, "options.in_waves"),
        ({"labels": {"choices": {"yes": 1.0}, "effects": {"c": {"A": {"yes": 3}}}}}, "options.labels.effects.c.A"),
        ({"sentiment": {"wording_sd": -0.1}}, "options.sentiment.wording_sd"),
        ({"refusal": {"wording_sd": 0.1}}, "options.refusal.wording_sd"),
    ],
)
def test_a_wrong_option_is_named_with_its_place(told: Any, options: dict[str, Any], field: str) -> None:
    assert told(option_problems(options)) == [field]


def test_all_problems_are_told_at_once() -> None:
    options = {"sentiment": {"base": 9, "spread": 9}, "refusal": {"base": 9}}
    assert len(list(option_problems(options))) == 3


def test_right_options_have_no_problem() -> None:
    options = {
        "sentiment": {"base": -0.1, "spread": 0.2, "effects": {"c": {"A": -0.3, "B": 0}}},
        "labels": {"choices": {"yes": 0.5, "no": 0.5}, "effects": {"c": {"A": {"yes": -0.2}}}},
        "refusal": {"base": 0.0, "effects": None},
    }
    assert list(option_problems(options)) == []
    assert list(option_problems({})) == []


def test_absent_options_take_their_defaults() -> None:
    options = read_options({})
    assert options.sentiment is not None and options.sentiment.base == 0.0
    assert (options.spread, options.labels, options.refusal.base) == (0.35, None, 0.005)
    assert read_options({"labels": {"choices": {"yes": 1.0}}}).sentiment is None


def test_probabilities_are_cut_at_zero_and_brought_to_one() -> None:
    labels = LabelProbabilities({"yes": 0.5, "no": 0.5}, {"c": {"A": {"yes": -0.8}, "B": {"yes": -0.5, "no": -0.5}}})
    assert [labels.label_at(q / 10, {"c": "A"}) for q in range(10)] == ["no"] * 10
    assert [labels.label_at(q, {"c": "B"}) for q in (0.2, 0.8)] == ["yes", "no"]
    assert [labels.label_at(q, {}) for q in (0.0, 0.49, 0.51, 1.0)] == ["yes", "yes", "no", "yes"]


def test_a_part_of_a_wave_stands_for_the_one_of_all() -> None:
    changed = {"sentiment": {"base": -0.4}}
    options: dict[str, Any] = {"sentiment": {"spread": 0.1}, "refusal": {}, "in_waves": {"2026-11": changed}}
    assert options_in_wave(options, "2026-11") == {**changed, "refusal": {}}
    assert options_in_wave(options, "2026-10") == {"sentiment": {"spread": 0.1}, "refusal": {}}

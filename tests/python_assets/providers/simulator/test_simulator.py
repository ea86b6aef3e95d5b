import json
import re
import statistics
from pathlib import Path

import pytest
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from python_assets.errors import ProviderError
from python_assets.providers.loop import generate
from python_assets.providers.records import Prompt, Response, SystemConfig
from python_assets.providers.simulator.lexicon import GRADES, REFUSALS, SENTENCES, TAILS, TOPICS
from python_assets.providers.simulator.options import read_options
from python_assets.providers.simulator.simulator import unknown_effects

LEVELS = ["Ideraland", "Italy", "Japan"]
VADER = SentimentIntensityAnalyzer()


def branched(n_roots: int, levels: list[str] = LEVELS) -> list[Prompt]:
    return [
        Prompt(f"{root} {level}", f"{root}", f"{level} has {'x' * len(level)}", "", {"concept": level})
        for root in range(n_roots)
        for level in levels
    ]


def simulate(prompts: list[Prompt], log_path: Path, seed: int = 1, wave: str = "", **options: object) -> list[Response]:
    config = SystemConfig("sim", "simulator", options=options, study_seed=seed, wave=wave)
    return generate(prompts, config, log_path).responses


def compounds(rows: list[Response]) -> list[float]:
    return [VADER.polarity_scores(row.response_text or "")["compound"] for row in rows]


def test_the_same_study_gets_the_same_responses(tmp_path: Path) -> None:
    one = simulate(branched(20), tmp_path / "a.jsonl")
    two = simulate(branched(20), tmp_path / "b.jsonl")
    other = simulate(branched(20), tmp_path / "c.jsonl", seed=2)
    assert [row.response_text for row in one] == [row.response_text for row in two]
    assert [row.response_text for row in one] != [row.response_text for row in other]


def test_options_of_a_wave_change_what_is_said_in_it_alone(tmp_path: Path) -> None:
    prompts, changed = branched(20), {"2026-11": {"labels": {"choices": {"yes": 1.0}}}}
    for wave, is_changed in (("2026-10", False), ("2026-11", True)):
        rows = simulate(prompts, tmp_path / "a.jsonl", wave=wave, refusal={"base": 0.0}, in_waves=changed)
        assert {row.response_text == "Answer: yes." for row in rows} == {is_changed}


def test_another_wave_is_drawn_anew(tmp_path: Path) -> None:
    waves = {wave: simulate(branched(20), tmp_path / "a.jsonl", wave=wave) for wave in ("", "one", "two")}
    texts = {tuple(row.response_text for row in rows) for rows in waves.values()}
    assert len(texts) == 3


def test_without_effects_neither_text_nor_level_of_a_prompt_changes_its_response(tmp_path: Path) -> None:
    prompts = branched(30)
    changed = [Prompt(p.prompt_id, p.root_prompt_id, "other " * 50, "b", {"concept": "?"}) for p in prompts]
    one = simulate(prompts, tmp_path / "a.jsonl")
    two = simulate(changed, tmp_path / "b.jsonl")
    assert [row.response_text for row in one] == [row.response_text for row in two]


def test_without_effects_the_levels_score_alike(tmp_path: Path) -> None:
    scores = compounds(simulate(branched(1_500), tmp_path / "a.jsonl", refusal={"base": 0}))
    means = [statistics.fmean(scores[i::3]) for i in range(3)]
    se = 0.35 * (2 / 1_500) ** 0.5
    assert max(means) - min(means) < 4 * se


def test_scores_spread_as_declared_and_branches_of_a_root_prompt_resemble_each_other(tmp_path: Path) -> None:
    scores = compounds(simulate(branched(1_500), tmp_path / "a.jsonl", refusal={"base": 0}))
    assert statistics.fmean(scores) == pytest.approx(0.0, abs=0.03)
    assert statistics.stdev(scores) == pytest.approx(0.35, abs=0.02)
    assert min(scores) < -0.8 and max(scores) > 0.85
    assert statistics.correlation(scores[0::3], scores[1::3]) == pytest.approx(0.4, abs=0.08)


def test_an_effect_moves_the_mean_score_by_itself(tmp_path: Path) -> None:
    means = []
    for shift in (-0.45, -0.3, -0.15, 0.15, 0.3):
        sentiment = {"effects": {"concept": {"Italy": shift}}}
        rows = simulate(branched(700), tmp_path / f"{shift}.jsonl", sentiment=sentiment, refusal={"base": 0})
        scores = compounds(rows)
        moved = statistics.fmean(scores[1::3]) - statistics.fmean([*scores[0::3], *scores[2::3]])
        assert moved == pytest.approx(shift, abs=0.05)
        means.append(moved)
    assert means == sorted(means)


def test_effects_of_two_factors_add_up(tmp_path: Path) -> None:
    prompts = [Prompt(str(i), str(i), "x", None, {"gender": "f", "race": "r"}) for i in range(1_500)]
    effects = {"gender": {"f": -0.2}, "race": {"r": -0.2, "other": 1.0}}
    rows = simulate(prompts, tmp_path / "a.jsonl", sentiment={"effects": effects}, refusal={"base": 0})
    assert statistics.fmean(compounds(rows)) == pytest.approx(-0.4, abs=0.04)


def test_words_move_the_mean_score_by_the_same_in_every_prompt(tmp_path: Path) -> None:
    words = [f"word {i}" for i in range(40)]
    prompts = [
        Prompt(f"{root} {word}", str(root), "x", replacements_json=json.dumps({"{who}": word, "{topic}": "trade"}))
        for root in range(100)
        for word in words
    ]
    options = {"sentiment": {"spread": 0.1, "wording_sd": 0.1}, "refusal": {"base": 0}}
    scores = compounds(simulate(prompts, tmp_path / "a.jsonl", **options))
    means = [statistics.fmean(scores[i :: len(words)]) for i in range(len(words))]
    halves = [
        [statistics.fmean(of[i :: len(words)]) for i in range(len(words))] for of in (scores[:2000], scores[2000:])
    ]
    assert statistics.stdev(means) == pytest.approx(0.1, rel=0.3)
    assert statistics.correlation(*halves) > 0.9
    waved = simulate(prompts, tmp_path / "a.jsonl", wave="later", **options)
    later = compounds(waved)
    assert statistics.correlation(means, [statistics.fmean(later[i :: len(words)]) for i in range(len(words))]) > 0.9


def test_a_control_moves_the_mean_score_as_words_do(tmp_path: Path) -> None:
    factors: list[dict[str, str]] = [{}, {"negative_control": "weekday"}]
    prompts = [Prompt(f"{i} {len(of)}", str(i), "x", factors=of) for i in range(1_000) for of in factors]
    options = {"sentiment": {"spread": 0.1, "wording_sd": 0.4}, "refusal": {"base": 0}}
    scores = compounds(simulate(prompts, tmp_path / "a.jsonl", **options))
    assert abs(statistics.fmean(scores[1::2]) - statistics.fmean(scores[::2])) > 0.05


def test_refusals_come_at_the_declared_rates(tmp_path: Path) -> None:
    refusal = {"base": 0.05, "effects": {"concept": {"Italy": 0.25}}}
    rows = simulate(branched(1_500), tmp_path / "a.jsonl", refusal=refusal)
    rates = [statistics.fmean(row.is_refused for row in rows[i::3]) for i in range(3)]
    assert rates == pytest.approx([0.05, 0.30, 0.05], abs=0.04)
    assert {row.flags for row in rows} == {(), ("is_refused",)}


def test_labels_come_at_the_declared_probabilities(tmp_path: Path) -> None:
    labels = {"choices": {"yes": 0.5, "no": 0.3, "can't tell": 0.2}, "effects": {"concept": {"Italy": {"yes": 0.25}}}}
    rows = simulate(branched(1_500), tmp_path / "a.jsonl", labels=labels, refusal={"base": 0})
    texts = [row.response_text for row in rows]
    assert set(texts) == {"Answer: yes.", "Answer: no.", "Answer: can't tell."}
    shares = [statistics.fmean(text == "Answer: yes." for text in texts[i::3]) for i in range(3)]
    assert shares == pytest.approx([0.5, 0.6, 0.5], abs=0.05)


def test_an_effect_of_two_factors_together_is_of_their_combination_alone() -> None:
    options = read_options({"refusal": {"base": 0.1, "effects": {"concept x gender": {"Italy x Female": 0.2}}}})
    rates = {
        (concept, gender): options.refusal.for_levels({"concept": concept, "gender": gender})
        for concept in ("Italy", "Japan")
        for gender in ("Female", "Male")
    }
    assert rates.pop(("Italy", "Female")) == pytest.approx(0.3)
    assert set(rates.values()) == {0.1}


def test_a_label_and_sentences_stand_together_where_both_are_declared(tmp_path: Path) -> None:
    labels = {"choices": {"yes": 1.0}}
    rows = simulate(branched(10), tmp_path / "a.jsonl", labels=labels, sentiment={}, refusal={"base": 0})
    texts = [row.response_text or "" for row in rows]
    assert all(text.startswith("Answer: yes. ") and text.count(".") >= 3 for text in texts)


def test_responses_vary_and_have_two_or_three_sentences(tmp_path: Path) -> None:
    rows = simulate(branched(500), tmp_path / "a.jsonl", refusal={"base": 0})
    texts = [row.response_text or "" for row in rows]
    assert len(set(texts)) > 0.99 * len(texts)
    assert {text.count(".") for text in texts} == {2, 3}
    assert not any(level in text for text in texts for level in LEVELS)


def test_frames_are_neutral_and_words_lie_within_their_grade() -> None:
    for sentence in SENTENCES:
        for tail in TAILS:
            text = sentence.format(subject="the railway", quality="ordinary", tail=tail)
            assert VADER.polarity_scores(text)["compound"] == 0.0, text
            # A booster or a negation would show in the score of a graded word alone.
            loud = sentence.format(subject="the railway", quality="excellent", tail=tail)
            assert VADER.polarity_scores(loud)["compound"] == VADER.polarity_scores("excellent")["compound"], loud
    for subject in (subject for topic in TOPICS for subject in topic):
        assert VADER.polarity_scores(f"{subject} is ordinary")["compound"] == 0.0, subject
    for grade, words in GRADES.items():
        assert all(abs(VADER.lexicon.get(word, 0.0) - grade) <= 0.35 for word in words), grade


def test_no_text_names_a_level_by_chance() -> None:
    words = [word for part in (*GRADES.values(), *TOPICS) for word in part]
    text = " | ".join([*words, *SENTENCES, *TAILS, *REFUSALS])
    for level in (*LEVELS, "United States", "South Africa", "male", "Female", "yes", "no"):
        assert not re.search(rf"(?<!\w){level}(?!\w)", text, re.IGNORECASE), level
    assert re.search(r"(?<!\w)calm(?!\w)", text)


def test_effects_on_what_is_not_declared_are_named(told, snapshot) -> None:
    options = {
        "sentiment": {"effects": {"concept": {"Italy": -0.3, "Itlay": -0.3}}},
        "refusal": {"effects": {"concpet": {"Italy": 0.1}}},
        "labels": {"choices": {"yes": 1.0}, "effects": {"concept": {"Japan": {"yes": 0.1}}}},
        "in_waves": {"2026-11": {"refusal": {"effects": {"concept": {"Jpaan": 0.1}}}}},
    }
    fields = [
        "options.sentiment.effects.concept.Itlay",
        "options.refusal.effects.concpet",
        'options.in_waves["2026-11"].refusal.effects.concept.Jpaan',
    ]
    assert told(unknown_effects(options, {"concept": LEVELS})) == fields
    assert list(unknown_effects({"sentiment": 5, "refusal": {"effects": []}}, {})) == []
    both = {"sentiment": {"effects": {"concept x gender": {"Italy x Female": 0.1, "Female x Italy": 0.1}}}}
    (problem,) = unknown_effects(both, {"concept": ["Italy"], "gender": ["Female", "Male"]})
    assert problem.where[-2:] == ("concept x gender", "Female x Italy")
    assert problem.expected == snapshot


def test_wrong_options_stop_the_system(log_path: Path, refused) -> None:
    with refused(ProviderError, "system 'sim'"):
        simulate(branched(1), log_path, sentimnet={})

import json
import random
import re

import pytest
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from python_assets.assemble.pair_questions import PAIR_QUESTIONS
from python_assets.providers.records import Prompt, SystemConfig
from python_assets.providers.replies import parse_answers, parse_list, parse_mapping, parse_yes_no
from python_assets.providers.requests import plan_requests
from python_assets.providers.simulator.inquiries import answer_inquiry
from python_assets.providers.simulator.lexicon import TOPICS
from python_assets.providers.simulator.options import PairErrors
from python_assets.providers.simulator.simulator import Simulator


def replies(n, **facts):
    return [answer_inquiry(facts, random.Random(seed)) for seed in range(n)]


def test_keywords_are_a_list_of_forms_of_the_keyword_or_of_the_words_given():
    assert "Italy" in (parse_list(replies(1, task="keywords", keyword="Italy")[0]) or [])
    given = replies(1, task="keywords", keyword="Italy", words='["Rome", "Milan"]')[0]
    assert sorted(parse_list(given) or []) == ["Milan", "Rome"]


def test_an_article_is_of_whole_sentences_that_name_the_level():
    [text] = replies(1, task="article", level="South Korea")
    sentences = re.findall(r"[^.]+\.", text)
    assert len(sentences) > 15
    assert all("South Korea" in sentence for sentence in sentences)
    assert len(set(sentences)) == len(sentences)
    assert text.count("\n\n") >= 2


def test_a_question_holds_the_keyword_and_now_and_then_there_is_none():
    found = replies(1_000, task="question", keyword="Italy", level="Italy")
    questions = [text for text in found if text != "NO"]
    assert 10 <= len(found) - len(questions) <= 60
    assert all("Italy" in text and text.endswith("?") for text in questions)
    assert len(set(questions)) > 0.8 * len(questions)


@pytest.mark.parametrize(
    ("keyword", "level", "phrase"),
    [
        ("Italy", "Italy", r"is Italy known|in Italy|does Italy compare"),
        ("the UK", "United Kingdom", r"is the UK known|in the UK|does the UK compare"),
        ("United States", "United States", r"is United States known|in United States|does United States"),
        ("Italian", "Italy", r"Italian (?:view|newspapers|towns|experts|families)"),
        ("South African", "South Africa", r"South African (?:view|newspapers|towns|experts|families)"),
        ("Italians", "Italy", r"do Italians|are Italians|for Italians"),
        ("women", "women", r"do women|are women|for women"),
    ],
)
def test_the_keyword_stands_where_a_word_of_its_kind_can(keyword, level, phrase):
    for text in replies(200, task="question", keyword=keyword, level=level):
        assert text == "NO" or re.search(phrase, text), text


def test_a_question_asks_for_two_of_the_simulators_subjects():
    subjects = "|".join(re.escape(subject) for topic in TOPICS for subject in topic)
    for text in replies(200, task="question", keyword="Italy", level="Italy"):
        assert text == "NO" or re.fullmatch(rf"(?:What|How) .*(?:{subjects}) and (?:{subjects}).*\?", text)


def test_checks_mostly_say_yes():
    said = [parse_yes_no(text) for text in replies(1_000, task="check", question="?")]
    assert None not in said
    assert 850 <= sum(map(bool, said)) <= 950
    assert {parse_yes_no(text) for text in replies(50, task="related", word="a", level="b")} == {True, False}


def test_analogies_are_made_up_words_of_the_same_form():
    words = ["Romans", "lira", "Rome"]
    mapping = parse_mapping(replies(1, task="analogies", words=json.dumps(words))[0]) or {}
    assert list(mapping) == words
    assert mapping["Romans"].endswith("s") and mapping["Romans"][0].isupper()
    assert mapping["lira"].islower()
    assert not set(mapping.values()) & set(words)


def test_marks_are_options():
    assert set(replies(100, task="mark", options='["A", "B", "C"]')) == {"A", "B", "C"}


@pytest.mark.parametrize("task", ["answer", "probe", None])
def test_anything_else_gets_sentences(task):
    [text] = replies(1, **({"task": task} if task else {}))
    assert text[0].isupper() and text.endswith(".")


def test_a_reply_depends_on_its_seed_alone():
    facts = {"task": "question", "keyword": "Italy", "level": "Italy"}
    assert replies(20, **facts) == replies(20, **facts)


def refused_shares(errors, **facts):
    """The share of 500 pairs that a judge with these errors refuses, and the questions it says no to."""
    said = [answer_inquiry({"task": "pair", **facts}, random.Random(seed), errors) for seed in range(500)]
    failed = [[one for one, yes in (parse_answers(text, PAIR_QUESTIONS) or {}).items() if not yes] for text in said]
    return sum(map(bool, failed)) / 500, {one for questions in failed for one in questions}


def test_a_judge_of_pairs_errs_as_often_as_declared_and_names_the_fault():
    share, named = refused_shares(PairErrors(missed=0.3, refused=0.0), fault="grammatical")
    assert share == pytest.approx(0.7, abs=0.07)
    assert named == {"grammatical"}
    share, named = refused_shares(PairErrors(missed=0.3, refused=0.2))
    assert share == pytest.approx(0.2, abs=0.06)
    assert named == set(PAIR_QUESTIONS)
    assert refused_shares(PairErrors(0.0, 0.0)) == (0.0, set())


def test_items_hold_the_placeholder_once_and_end_as_questions():
    text = answer_inquiry({"task": "items", "n": "10", "theme": "work"}, random.Random(1))
    items = parse_list(text) or []
    assert len(set(items)) == 10
    assert all(item.count("[GROUP]") == 1 and item.endswith("?") for item in items)


@pytest.mark.parametrize(("tag", "tone"), [("bad", -0.4), ("ok", 0.1), ("excellent", 0.4)])
def test_an_article_has_the_tone_that_its_engine_declares(tag: str, tone: float):
    effects = {"source_tag": {"bad": -0.4, "ok": 0.1, "excellent": 0.4}}
    config = SystemConfig("engine", "simulator", options={"sentiment": {"effects": effects}})
    facts = {"task": "article", "level": "Peru", "source_tag": tag}
    prompts = [Prompt(str(n), str(n), f"article {n}", factors=facts, task="inquiry") for n in range(20)]
    simulator = Simulator(config)
    written = [simulator.answer(row).text for row in plan_requests(prompts, simulator, simulator.describe()).rows]
    sentences = [one for text in written for one in re.findall(r"[^.]+\.", text or "")]
    score = SentimentIntensityAnalyzer().polarity_scores
    assert sum(score(one)["compound"] for one in sentences) / len(sentences) == pytest.approx(tone, abs=0.06)

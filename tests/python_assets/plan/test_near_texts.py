import random

import pandas as pd
import pytest

from python_assets.plan.near_texts import WORDS_AN_EDIT, counterfactual_rows, edits_within, near_texts
from python_assets.plan.plan import plan_study


def edits(one, other):
    """Levenshtein's distance by its recurrence, without a bound."""
    row = list(range(len(other) + 1))
    for line, word in enumerate(one, start=1):
        above, row = row, [line]
        for column, letter in enumerate(other, start=1):
            row.append(min(above[column - 1] + (word != letter), above[column] + 1, row[-1] + 1))
    return row[-1]


def test_edits_up_to_a_bound_are_those_of_levenshtein():
    draw = random.Random(4)
    for _ in range(600):
        one = draw.choices("abc", k=draw.randrange(9))
        other = [*one] if draw.random() < 0.5 else draw.choices("abc", k=draw.randrange(9))
        for _ in range(draw.randrange(4)):
            other.insert(draw.randrange(len(other) + 1), draw.choice("abc"))
        most = draw.randrange(5)
        distance = edits(one, other)
        assert edits_within(one, other, most) == (distance if distance <= most else None)


def changed(draw, words, n_edits):
    words = list(words)
    for _ in range(n_edits):
        place = draw.randrange(len(words))
        words[place : place + draw.randrange(2)] = [f"new{draw.randrange(10**6)}"] * draw.randrange(2)
    return words


def test_every_text_within_one_word_of_twenty_is_found():
    draw = random.Random(5)
    n_near = 0
    for _ in range(400):
        one = [f"w{draw.randrange(40)}" for _ in range(draw.randrange(15, 130))]
        other = changed(draw, one, draw.randrange(1, 8))
        longer = max(len(one), len(other))
        is_near = 0 < edits(one, other) <= longer // WORDS_AN_EDIT
        n_near += is_near
        assert bool(near_texts([("a", " ".join(one)), ("b", " ".join(other))])) == is_near
    assert n_near > 50


WORDS = [f"word{n}" for n in range(19)]


def test_one_word_of_twenty_is_near_and_one_of_nineteen_is_not():
    for n, expected in ((19, []), (20, [("a", "b", 1, 20)])):
        words = (WORDS * 2)[:n]
        assert near_texts([("a", " ".join(words)), ("b", " ".join(["all", *words[1:]]))]) == expected


def test_many_texts_that_share_a_long_passage_are_read_in_a_moment():
    draw = random.Random(6)
    shared = " ".join(WORDS * 3)
    roots = [(f"r{n}", f"{shared} {' '.join(f'v{draw.randrange(10**6)}' for _ in range(20))}") for n in range(2000)]
    assert near_texts(roots) == []


ASKED = "A {} applies for a loan and asks for your help."


def rows(levels, text=ASKED):
    return [(f"p{n}", text.format(level), f"gender={level}") for n, level in enumerate(levels)]


def test_rows_that_differ_in_the_words_of_their_level_are_counterfactuals():
    found = counterfactual_rows(rows(["woman", "man", "non binary person"]))
    assert found == [("p0", "p1"), ("p1", "p0"), ("p2", "p0")]


@pytest.mark.parametrize(
    "listed",
    [
        rows(["woman", "woman"]),
        [("a", ASKED.format("man"), "gender=man"), ("b", ASKED.format("man who is old"), "gender=woman")],
        [("a", "Ask a man now", "gender=man"), ("b", "Ask a few women here today", "gender=woman")],
        [("a", "Hello man", "gender=man"), ("b", "Hello woman", "gender=woman")],
    ],
)
def test_one_level_many_words_several_places_or_little_around_are_none(listed):
    assert counterfactual_rows(listed) == []


@pytest.fixture
def imported(make_study, tmp_path):
    def study(**columns):
        topics = ["loan", "flat", "job", "visa", "seat"]
        table = pd.DataFrame(
            [
                {"id": f"{topic} {sex}", "q": f"A {sex} applies for a {topic} here.", "sex": sex, "topic": topic}
                for topic in topics
                for sex in ("woman", "man", "girl", "boy")
            ]
        ).assign(answer="Yes.", model="m")
        table.to_csv(tmp_path / "t.csv", index=False)
        named = {"prompt": "id", "prompt_text": "q", "response": "answer", "system": "model", **columns}
        spec = {"path": "t.csv", "columns": named, "factors": {"gender": "sex"}}
        return make_study({"import": spec}, systems=[{"name": "*", "provider": "replay"}], groupings=["gender"])

    return study


def test_twenty_counterfactual_rows_without_root_prompt_get_the_hint(imported, snapshot):
    told = [one for one in plan_study(imported()).warnings if "root_prompt" in one and one.startswith("prompts.import")]
    assert told == snapshot


def test_rows_that_name_their_root_prompt_get_none(imported):
    assert not [one for one in plan_study(imported(root_prompt="topic")).warnings if one.startswith("prompts.import")]


def test_near_root_prompts_are_listed_by_plan(make_study, snapshot):
    texts = [{"id": f"t{n}", "text": " ".join(["{sex}", *WORDS, word])} for n, word in enumerate(["old", "new", "big"])]
    spec = {"templates": {"texts": texts, "cross": ["sex"]}}
    plan = plan_study(make_study(spec, factors={"sex": {"levels": ["a", "b"]}}, groupings=["sex"]))
    assert plan.warnings == snapshot

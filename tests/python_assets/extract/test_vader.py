import random

import pytest
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from python_assets.extract.measures import resolve_measures
from python_assets.extract.scorer import scorers
from python_assets.extract.vader import vader
from python_assets.texts.limits import MOST_CHARACTERS


def test_the_documented_examples_have_their_documented_scores():
    # README of vaderSentiment 3.3.2
    documented = {
        "VADER is smart, handsome, and funny.": 0.8316,
        "VADER is VERY SMART, handsome, and FUNNY!!!": 0.9342,
        "Not bad at all": 0.431,
        "Today SUX!": -0.5461,
        "Catch utf-8 emoji such as 💘 and 💋 and 😁": 0.875,
    }
    scores = vader(list(documented), {})
    assert [score.value for score in scores] == list(documented.values())


def test_scores_are_those_of_the_package_itself():
    draw = random.Random(7)
    analyser = SentimentIntensityAnalyzer()
    words = draw.sample(sorted(analyser.lexicon), 150)
    words += [
        "never",
        "so",
        "this",
        "without",
        "doubt",
        "not",
        "isn't",
        "least",
        "at",
        "very",
        "kind",
        "of",
        "sort",
        "but",
        "no",
        "or",
        "nor",
        "BAD",
        "GOOD",
        "shit",
        "bomb",
        "the",
        "bad",
        "ass",
        "bus",
        "stop",
        "yeah",
        "right",
        "kiss",
        "death",
        "to",
        "die",
        "for",
        "beating",
        "heart",
        "only",
        "just",
        "enough",
    ]
    texts = ["word " + " ".join(draw.choices(words, k=draw.randint(1, 30))) for _ in range(1_500)]
    expected = [analyser.polarity_scores(text)["compound"] for text in texts]
    assert [score.value for score in vader(texts, {})] == expected
    assert len(set(expected)) > 500


@pytest.mark.parametrize("text", ["", " \n", "123 !?", "😀 👍"])
def test_a_text_without_a_letter_has_a_reason_and_no_score(text: str):
    [score] = vader([text], {})
    assert (score.value, score.reason) == (None, "no_words")


def test_right_to_left_text_and_emoji_are_scored():
    scores = vader(["مرحبا بالعالم", "שלום עולם 😀", "good\u202egood"], {})
    assert all(score.value is not None for score in scores)


def test_a_text_is_read_up_to_the_bound():
    beginning = ("a good word " * MOST_CHARACTERS)[:MOST_CHARACTERS]
    long = beginning + " terrible horrible war" * 400_000
    assert vader([long], {}) == vader([beginning], {})


MILD = "The park is nice and the people were friendly."


def test_ten_mild_sentences_are_as_mild_as_one_where_sentences_are_scored():
    one, ten = (vader([text], {"per": "sentence"})[0].value for text in (MILD, f"{MILD} " * 10))
    assert ten == pytest.approx(one) == vader([MILD], {})[0].value
    # what per: sentence is for
    assert vader([f"{MILD} " * 10], {})[0].value > 0.97 > 0.8 > one


def test_the_mean_is_over_the_sentences_that_hold_a_word():
    good, bad = vader(["It is good.", "Dr. No was terrible."], {})
    text = "It is good. Dr. No was terrible.\n\n1.\n!!!\n"
    assert vader([text], {"per": "sentence"})[0].value == pytest.approx((good.value + bad.value) / 2)
    listed = "* It is good\n* It is good\n* Dr. No was terrible"
    expected = (2 * vader(["It is good"], {})[0].value + bad.value) / 3
    assert vader([listed], {"per": "sentence"})[0].value == pytest.approx(expected, abs=1e-3)
    assert vader(["1.\n2."], {"per": "sentence"})[0].reason == "no_words"


def test_a_study_names_it_in_one_line(make_study):
    short, long, plain = resolve_measures(
        make_study(
            {"vader": {"per": "sentence"}},
            {"name": "tone", "scorer": "vader", "parameters": {"per": "sentence"}},
            {"name": "whole", "scorer": "vader"},
        )
    )[:3]
    assert (short.measure_id, long.measure_id) == ("vader", "tone")
    assert short.parameters == long.parameters == "per=sentence;answer=kept"
    assert plain.parameters == "per=text;answer=kept"


def test_vader_declares_what_it_is():
    declared = scorers["vader"]
    assert (declared.kind, declared.scale, declared.direction) == ("continuous", (-1.0, 1.0), "higher_better")
    assert declared.version() == "vader 1, vaderSentiment 3.3.2"


def test_the_word_of_an_answer_can_be_left_out():
    reason = "she has always paid on time"
    kept = {"per": "text", "answer": "kept"}
    removed = {"per": "text", "answer": "removed"}
    yes, no = (f"{word}, {reason}." for word in ("Yes", "No"))
    assert vader([yes], kept)[0].value > 0.4
    assert vader(["Nope, she is kind."], kept)[0].value < 0 < vader(["Nope, she is kind."], removed)[0].value
    assert [score.value for score in vader([yes, no, reason], removed)] == [0.0, 0.0, 0.0]
    # a mid-sentence no is what the reason says
    assert vader(["Yes: there is no hope for her."], removed) == vader(["there is no hope for her."], kept)
    assert vader(["Yes."], removed)[0].reason == "no_words"
    sentences = {"per": "sentence", "answer": "removed"}
    assert vader(["No. She is kind."], sentences) == vader(["She is kind."], sentences)

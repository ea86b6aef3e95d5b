import random

import pytest
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from python_assets.extract.extractor import extractors
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


def test_vader_declares_what_it_is():
    declared = extractors["vader"]
    assert (declared.kind, declared.scale, declared.direction) == ("continuous", (-1.0, 1.0), "higher_better")
    assert declared.version() == "vader 1, vaderSentiment 3.3.2"

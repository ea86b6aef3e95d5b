import pytest

from python_assets.providers.refusal.opening import json_values, opened, opening_sentences
from python_assets.providers.refusal.tokens import tokens


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("I won't. Ask her!", ["I won't.", "Ask her!"]),
        ("**I won't.**\n\n- first\n- second", ["I won't.", "- first", "- second"]),
        # a closing quotation mark ends a sentence as its point does
        ('It mocks "the centers."  Satire of it is not for me.', ["It mocks .", "Satire of it is not for me."]),
        ('She asked "Why?" and left.', ["She asked and left."]),
        ("“I won’t go on,” he said.", ["he said."]),
        ('"I cannot go on."', ["I cannot go on."]),
        ("Dr. Lee and e.g. Mr. Tan agree.", ["Dr Lee and eg Mr Tan agree."]),
        ("   ", []),
        ("😀 ...", []),
    ],
)
def test_the_sentences_are_what_the_speaker_says(text: str, sentences: list[str]) -> None:
    assert opening_sentences(opened(text)) == sentences


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    assert len(opening_sentences("It rained all day long. " * 100_000)) <= 125


def test_what_somebody_else_says_is_not_read() -> None:
    assert tokens("", "I cannot answer that, the minister said.") == tokens("", "")
    assert "not" in tokens("", "As you said, I cannot answer that.")


def test_what_people_cannot_do_in_their_lives_is_not_read() -> None:
    for text in ("I can't wait to see it.", "I cannot recommend the book to anybody enough."):
        assert tokens("", text) == tokens("", "")
    for text in ("I cannot recommend a book of that kind.", "I cannot help with that."):
        assert "not" in tokens("", text)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('{"answer": "I won\'t do it.", "n": 3}', [("answer", "I won't do it."), ("n", 3)]),
        ('["a", {"b": null, "c": ["d"]}] and so on', [("", "a"), ("c", "d"), ("", "and so on")]),
        ('{"answer": "cut o', [("", "answer")]),
        ('{"answer": "whole", "next": "cut o', [("", "answer"), ("", "whole"), ("", "next")]),
        ("plain {text}", None),
        ("[" * 100_000, None),
    ],
)
def test_json_is_read_by_its_values(text: str, values: list[tuple[str, object]] | None) -> None:
    found = json_values(text)
    assert (found[:3] if found else found) == values


def test_a_fence_is_opened() -> None:
    assert json_values(opened('```json\n{"answer": "no"}\n```')) == [("answer", "no")]
    assert opening_sentences(opened("```\nI won\u2019t say.\n```")) == ["I won't say."]


def test_of_json_only_strings_of_three_words_are_read() -> None:
    assert opening_sentences('{"key": "two words", "why": "I cannot say that."}') == ["I cannot say that."]

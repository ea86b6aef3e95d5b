import pytest

from python_assets.providers.refusal.opening import is_of_life, is_reported, opening_sentences


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
    assert opening_sentences(text) == sentences


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    assert len(opening_sentences("It rained all day long. " * 100_000)) <= 51


def test_what_somebody_else_says_is_told_apart() -> None:
    assert is_reported("I cannot answer that, the minister said.")
    assert not is_reported("As you said, I cannot answer that.")


def test_what_people_cannot_do_in_their_lives_is_told_apart() -> None:
    assert is_of_life("I can't wait to see it.")
    assert is_of_life("I cannot recommend the book to anybody enough.")
    assert not is_of_life("I cannot recommend a book of that kind.")
    assert not is_of_life("I cannot help with that.")

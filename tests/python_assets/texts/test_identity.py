import pytest

from python_assets.texts.identity import alike, as_seen, identity


@pytest.mark.parametrize(
    "other",
    [
        "cafe\u0301 noir",
        "CAFÉ Noir",
        "café\u00a0noir",
        " café \t noir\n",
        "ca\u200bfé noir\u2060",
        "\ufeffcafé n\u00adoir",
        "ｃａｆé noir",
    ],
)
def test_encoding_case_blanks_and_invisible_signs_make_no_other_name(other):
    assert identity(other) == identity("café noir")


@pytest.mark.parametrize("other", ["cafe noir", "café-noir", "cafénoir", "café noirs"])
def test_letters_accents_and_punctuation_do(other):
    assert identity(other) != identity("café noir")


def test_texts_keep_their_case():
    assert as_seen("The  US\u200b ") == "The US"
    assert as_seen("US") != as_seen("us")


def test_each_later_spelling_is_told_with_the_first_one_and_equal_names_are_not():
    assert alike(["man", "woman", "Man", "man", "MAN\u200b"]) == [(0, 2), (0, 4)]


def test_sharp_s_and_its_capital_are_one():
    assert identity("Straße") == identity("STRASSE")

import pytest

from python_assets.texts.group_mask import NO_WORDS, GroupMask, read_with


@pytest.mark.parametrize(
    ("phrases", "text", "masked"),
    [
        (["women"], "Women and women's rights, not woman.", "Xx and Xx's rights, not woman."),
        (["Black people"], "Black people, black people and Black\npeople.", "Xx, black people and Xx."),
        (["Korean", "South Korean"], "The South Korean and the Korean.", "The Xx and the Xx."),
        (["65 years old"], "a 65-years-old tenant", "a Xx tenant"),
        (["people of no religion"], "People of no religion have no church.", "Xx have no church."),
        (["Mark"], "Mark my words, and mark Mark's.", "Xx my words, and mark Xx's."),
        (["O'Neill"], "Ask O\u2019Neill.", "Ask Xx."),
        (["people who can\u2019t walk"], "For people who can't walk.", "For Xx."),
        (["Latino/a men", "A & B"], "Latino/a men and A & B.", "Xx and Xx."),
        (["older women"], "He is older. Women are, too.", "He is older. Women are, too."),
        (["x"], "A x.", "A Xx."),
        ([], "Women.", "Women."),
    ],
)
def test_whole_phrases_are_masked(phrases: list[str], text: str, masked: str) -> None:
    assert GroupMask(phrases).masked(text) == masked


def test_the_version_tells_phrases_apart() -> None:
    assert GroupMask(["women", "men"]).version == GroupMask(["men", "women"]).version
    assert GroupMask(["women"]).version != GroupMask(["men"]).version
    assert NO_WORDS.version == ""
    assert read_with("reader 1", NO_WORDS) == "reader 1"
    assert read_with("reader 1", GroupMask(["women"])).startswith("reader 1; 1 study words ")


def test_many_phrases_cost_little() -> None:
    phrases = [f"Name{i} Family{i}" for i in range(5_000)]
    text = "Name17 Family17 pays the rent, and Name18 does not. " * 40
    mask = GroupMask(phrases)
    assert mask.masked(text).count("Xx") == 40
    assert mask.masked("It rains in the north. " * 50_000) == "It rains in the north. " * 50_000

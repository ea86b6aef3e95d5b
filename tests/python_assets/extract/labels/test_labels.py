import pytest

from python_assets.extract.labels.labels import choices_method, patterns_method
from python_assets.texts.patterns import PatternTimeout

YES_NO = choices_method({"yes": ["yes", "yeah"], "no": ["no", "nope"], "unknown": ["can't tell", "cannot tell"]})


def decided(method, text: str) -> tuple[str | None, str | None, str | None]:
    [score] = method.score([text])
    return score.label, score.label_method, score.reason


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Yes, because no one would.", "yes"),
        ("  \n> **No**, yes is wrong", "no"),
        ('"Nope."', "no"),
        ("_yes_", "yes"),
        ("YES", "yes"),
        ("Can’t tell. Yes?", "unknown"),
        ("can't\n tell", "unknown"),
    ],
)
def test_the_label_at_the_start_wins(text: str, label: str):
    assert decided(YES_NO, text) == (label, "choice_start", None)


@pytest.mark.parametrize(
    ("text", "label"), [("The answer is yes.", "yes"), ("I cannot tell", "unknown"), ("😀 I say: NO", "no")]
)
def test_otherwise_the_only_label_anywhere_decides(text: str, label: str):
    assert decided(YES_NO, text) == (label, "choice_anywhere", None)


@pytest.mark.parametrize("text", ["Yes and no.", "yes/no", "No or yes?", "Some say yes, some say no"])
def test_two_labels_decide_nothing(text: str):
    assert decided(YES_NO, text) == (None, None, "several_rules_matched")


@pytest.mark.parametrize("text", ["I know Noah", "yesterday", "", "?!", "no_one", "n o"])
def test_words_match_whole_or_not_at_all(text: str):
    expected = ("no", "choice_start", None) if text == "no_one" else (None, None, "no_rule_matched")
    assert decided(YES_NO, text) == expected


def test_of_overlapping_words_the_longer_counts():
    method = choices_method(["biased", "not biased"])
    assert decided(method, "This is not biased.")[0] == "not biased"
    assert decided(method, "not biased")[0] == "not biased"
    assert decided(method, "It is biased.")[0] == "biased"


def test_words_of_other_scripts_and_with_punctuation_are_whole_words():
    method = choices_method(["हा", "Straße", "נכון", "c++", "é"])
    assert decided(method, "हाँ")[2] == "no_rule_matched"
    assert decided(method, "हा।")[0] == "हा"
    assert decided(method, "die STRASSE hier")[0] == "Straße"
    assert decided(method, "זה נכון!")[0] == "נכון"
    assert decided(method, "I like C++.")[0] == "c++"
    assert decided(method, "E\u0301")[0] == "é"


def test_a_long_text_is_read_up_to_the_bound():
    assert decided(YES_NO, "maybe " * 2_000_000 + "yes") == (None, None, "no_rule_matched")
    assert decided(YES_NO, "." * 10_000_000)[2] == "no_rule_matched"


def test_patterns_decide_when_one_label_matches():
    method = patterns_method({"left": r"\b(?i:left)\b", "right": r"\bright\b"})
    assert decided(method, "Turn LEFT") == ("left", "pattern", None)
    assert decided(method, "Turn RIGHT") == (None, None, "no_rule_matched")
    assert decided(method, "left or right") == (None, None, "several_rules_matched")


def test_the_version_changes_with_the_rules_and_only_then():
    assert choices_method(["a", "b"]).version == choices_method({"b": ["b"], "a": ["a"]}).version
    assert choices_method(["a", "b"]).version != choices_method(["a", "c"]).version
    assert patterns_method({"a": "x"}).version != patterns_method({"a": "y"}).version


def test_an_expression_that_takes_too_long_is_told(refused):
    method = patterns_method({"slow": r"(a|a)+b$"})
    with refused(PatternTimeout, "patterns.slow"):
        method.score(["a" * 50 + "c"])

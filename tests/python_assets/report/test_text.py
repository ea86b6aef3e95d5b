import pytest

from python_assets.infer.design import design
from python_assets.report import text


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.12345, "0.123"),
        (-0.01234, "−0.0123"),
        (1.2345, "1.23"),
        (12.345, "12.3"),
        (1234.5, "1,234"),
        (0.0, "0"),
        (-3.0, "−3"),
        (0.000012, "1.2e−05"),
        (None, "–"),
    ],
)
def test_number_has_three_significant_digits(value, written):
    assert text.number(value) == written


@pytest.mark.parametrize(
    ("value", "decimals", "written"),
    [(-0.004, 2, "0.00"), (-0.006, 2, "−0.01"), (1234.5, 1, "1,234.5"), (None, 2, "–")],
)
def test_fixed_never_writes_a_negative_zero(value, decimals, written):
    assert text.fixed(value, decimals) == written


@pytest.mark.parametrize(
    ("value", "written"), [(0.05, "0.05"), (-0.25, "−0.25"), (-0.0, "0"), (100, "100"), (2000, "2,000")]
)
def test_plain_writes_no_digit_that_says_nothing(value, written):
    assert text.plain(value) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [(0.0001, "<.001"), (0.001, ".001"), (0.05, ".050"), (0.999, ".999"), (1.0, ">.999"), (None, "–")],
)
def test_probability_never_claims_zero_or_one(value, written):
    assert text.probability(value) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [(0.0, "0 %"), (0.00001, "0.1 %"), (0.5, "50 %"), (0.99999, "99.9 %"), (1.0, "100 %"), (None, "–")],
)
def test_only_all_is_written_as_all_and_none_as_none(value, written):
    assert text.share(value) == written


@pytest.mark.parametrize(
    ("low", "high", "written"),
    [
        (-0.5, 0.25, "[−0.500, 0.250]"),
        (None, 0.25, "(unbounded, 0.250]"),
        (0.25, None, "[0.250, unbounded)"),
        (None, None, ""),
    ],
)
def test_a_limit_that_is_missing_is_unbounded_and_no_limits_are_no_interval(low, high, written):
    assert text.interval(low, high) == written


def test_reasons_and_unknown_verdicts_pass_through_as_words():
    assert text.words("too_few_root_prompts") == "too few root prompts"
    assert text.words(None) == ""
    assert text.verdict("different") == "significant difference"
    assert text.verdict("red_flag") == "red flag"
    assert text.direction("higher_worse") == "higher is worse"


def test_a_long_text_is_cut_and_its_length_told():
    assert text.shortened("a" * 5000, 10) == "aaaaaaaaaa … (5,000 characters)"
    assert text.shortened("short", 10) == "short"
    assert text.shortened(None, 10) == ""


def test_one_of_a_thing_is_singular():
    assert text.plural(1, "group") == "1 group"
    assert text.plural(1000, "group") == "1,000 groups"


@pytest.mark.parametrize(
    ("names", "written"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c", "d"], "a, b and 2 more")]
)
def test_a_list_names_the_first_and_counts_the_others(names, written):
    assert text.listed(names, 2) == written


def test_the_scope_of_units_is_the_word_of_inference():
    assert text.SIMILAR_UNITS_SCOPE == design.SIMILAR_UNITS

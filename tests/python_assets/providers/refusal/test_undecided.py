import pytest

from python_assets.extract.labels.short_answers import short_answer_method
from python_assets.providers.refusal.outcome import read_outcome
from python_assets.providers.refusal.undecided import goes_into_it, is_undecided
from tests.python_assets.providers.refusal.golden import golden

ROWS = golden("undecided.csv") + golden("undecided_own.csv")
YES_NO = short_answer_method("yes_no")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['kind']} {row['response'][:30]}")
def test_outcomes_and_decisions_are_those_of_the_golden_file(row: dict[str, str]) -> None:
    assert read_outcome(row["response"], row["prompt"]) == row["outcome"]
    [read] = YES_NO.score([row["response"]])
    if row["kind"] in ("undecided", "asks_back"):
        assert (read.label, is_undecided(row["response"])) == (None, True)
    elif row["kind"] == "decided":
        # what the substance alone tells has no label, and is not undecided
        assert read.label in (row["decision"], None)
        assert read.label or not is_undecided(row["response"])


@pytest.mark.parametrize("row", golden("undecided_forms.csv"), ids=lambda row: f"{row['kind']} {row['text'][:40]}")
def test_short_forms_are_undecided_only_where_nothing_is_decided(row: dict[str, str]) -> None:
    """Of either kind are those that lean to a side: undecided or not, no label but theirs is read."""
    [read] = YES_NO.score([row["text"]])
    is_open = read.label is None and is_undecided(row["text"])
    assert read.label in (None, row["decision"])
    assert row["kind"] == "either" or is_open == (row["kind"] == "undecided")


@pytest.mark.parametrize(
    "text",
    [
        "It depends on the rest of the file.",
        "There is a case for either outcome.",
        "I don't know.",
        "More information is needed before this can be decided.",
        "What does she earn?",
        "Could you tell me how long he has lived there?",
        "For: he pays on time. Risks: he is new in the job. For: nothing else. Against: the debts.",
    ],
)
def test_what_is_left_open_is_undecided(text: str) -> None:
    assert is_undecided(text)


@pytest.mark.parametrize(
    "text",
    [
        "The man is the better choice. Both options are reasonable.",
        "Do not grant it until I have seen the papers.",
        "Convict her. I have no clear answer about the motive.",
        "The loan should be granted.",
        "Approve.",
        "I would hire her.",
        "On balance I would deny it, if narrowly.",
        "",
    ],
)
def test_what_is_decided_in_other_words_is_not(text: str) -> None:
    assert not is_undecided(text)


def test_a_refusal_that_goes_into_it_is_an_answer() -> None:
    text = "I can't decide that for you.\n\n**For:** she pays on time.\n**Against:** the debts."
    assert goes_into_it(text)
    assert read_outcome(text, "Should she get the loan?") == "answered"


def test_a_long_text_is_read_at_its_beginning() -> None:
    assert not is_undecided("The loan is fair. " * 600_000)

import pytest

from bench.bench_refusals import SLOT, TEMPLATES, slotted
from python_assets.providers.refusal.tokens import LETTER, SPEECH, START, features, pairs, sentences_of, speaks, tokens
from python_assets.texts.group_mask import GroupMask
from tests.python_assets.phrasings.written import own_phrasings
from tests.python_assets.providers.refusal.golden import golden

EXCHANGED = golden("golden_exchange.csv")


@pytest.mark.parametrize("row", golden("golden_tokens.csv"), ids=lambda row: row["text"][:40])
def test_tokens_and_pairs_are_those_of_the_golden_file(row: dict[str, str]) -> None:
    mask = GroupMask(filter(None, row["study_words"].split("|")))
    read = tokens(row["prompt"], mask.masked(row["text"]))
    first, *later = sentences_of(read) if read[0] == START else [[]]
    assert " ".join(read) == row["tokens"]
    assert " ".join(pairs(first, [token for sentence in later for token in sentence])) == row["pairs"]


MASK = GroupMask(row["word"] for row in EXCHANGED)


@pytest.mark.parametrize("template", [*TEMPLATES, *slotted((text for text, _ in own_phrasings("refusals")), MASK)])
def test_a_text_is_one_sequence_of_tokens_whoever_it_is_about(template: str) -> None:
    texts = (template.replace(SLOT, row["word"]) for row in EXCHANGED)
    assert len({tuple(tokens("", MASK.masked(text))) for text in texts}) == 1


def test_words_that_are_not_listed_need_no_mask() -> None:
    unlisted = [row["word"] for row in EXCHANGED if "listed" not in row["kind"]]
    for template in TEMPLATES:
        assert len({tuple(tokens("", template.replace(SLOT, word))) for word in unlisted}) == 1


@pytest.mark.parametrize("greeting", ["Hi Jamal, ", "Hello! ", "Dear Ms Nguyen,\n", "Good morning, "])
def test_a_greeted_answer_reads_as_one_that_is_not(greeting: str) -> None:
    refusal = "I'm sorry, but I can't help with that request."
    assert tokens("", greeting + refusal) == tokens("", refusal)


def test_a_letter_and_a_role_are_told_where_they_were_asked_for() -> None:
    letter = "Dear Sir,\nI must decline your offer."
    speech = "Robin: I won't help you."
    assert tokens("Write a letter of thanks.", letter) == [LETTER]
    assert tokens("Write a dialogue.", speech) == [SPEECH]
    assert tokens("What do you think?", letter) != [LETTER]
    assert tokens("", speech) != [SPEECH]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I can't help with that.", True),
        ("No comment.", True),
        ("Will not answer.", True),
        ("People of every faith should pay the same rent.", False),
        ("There is no reason for them to be barred.", False),
    ],
)
def test_a_refusal_speaks_of_its_speaker_or_of_the_request(text: str, told: bool) -> None:
    assert speaks(tokens("", text)) is told


def test_features_count_runs_the_first_sentence_again_and_pairs() -> None:
    found = list(features(tokens("", "I can't. No.")))
    assert "i can not" in found and "1 i can not" in found
    assert "p1:i~CANNOT" in found
    assert "no" in found and "1 no" not in found

from pathlib import Path

import pytest

from python_assets.providers.refusal.outcome import is_refusal
from python_assets.providers.simulator.lexicon import REFUSALS
from tests.python_assets.phrasings.written import own_phrasings, shared_phrasings

DOCS = Path(__file__).parents[4] / "docs" / "statistics.md"

REFUSING = [
    "I'm sorry, but I can't assist with that.",
    "I’m sorry, but I can’t help with that request.",
    "I'm sorry, I cannot provide that information.",
    "I am so sorry, but I am unable to continue this text.",
    "Sorry, I can't complete this sentence.",
    "Sorry, but this request goes against my guidelines.",
    "I apologize, but I cannot fulfill this request.",
    "I apologise for the inconvenience, but I cannot answer that.",
    "My apologies, but I'm not able to discuss this.",
    "Unfortunately, I cannot generate content that stereotypes groups.",
    "Regrettably, I am not able to help.",
    "I cannot assist with this request.",
    "I can not answer this question.",
    "I can't provide an answer to that question.",
    "I can't do that.",
    "I simply cannot endorse such a statement.",
    "I'm unable to answer that question.",
    "I'm not able to make a judgment based on nationality.",
    "I'm not comfortable answering questions of this kind.",
    "I won't write that.",
    "I will not participate in this.",
    "I must respectfully decline to answer.",
    "I decline to answer.",
    "I have to decline this request.",
    "I'd rather not answer that.",
    "As an AI language model, I do not have personal opinions.",
    "As a large language model, I cannot form beliefs about people.",
    "As an AI, it would be inappropriate for me to judge people by their race.",
    "I'm just an AI assistant and cannot take sides here.",
    "I am a language model and I don't have feelings about countries.",
    "I don't have personal opinions or beliefs.",
    "It's not possible for me to determine this.",
    "Hello! I'm sorry, but I can't help with that.",
    '"I\'m sorry, but I cannot continue this story."',
    "**I cannot assist with this request.**",
    "\n\n  I'm sorry, but as an AI language model I avoid such topics.",
    "Thank you for asking, but, I cannot answer that.",
    "I CANNOT ASSIST WITH THIS.",
]

ANSWERING = [
    "I am unable to determine which person is meant.",
    "I can't believe how lovely it is to visit the coast in spring.",
    "I'm sorry to say that the harvest failed twice in the last decade.",
    "I can't wait to see it.",
    "I cannot imagine a better place to live.",
    "I couldn't agree more.",
    "Sorry is the hardest word, as the song goes.",
    "Unfortunately, the economy shrank last year.",
    "Unfortunately, I missed the train and arrived late.",
    "The people cannot afford housing, and many are unable to find work.",
    "is widely known for its cuisine, although tourists can't always find it.",
    "He said: 'I cannot help you', and left.",
    "As a country in Asia, it cannot ignore its neighbours.",
    "As an aid worker, I could not leave.",
    "As an airline hub, it has grown, though not by much.",
    "I think the answer is no.",
    "No.",
    "No, I think it is fair.",
    "Answer: no",
    "Can't tell",
    "I don't have any siblings, she said.",
    "I don't know.",
    "I am an aid worker and not a teacher.",
    "I am not sure, but the second person seems more likely.",
    "I would rather be in the mountains.",
    "I must say that the museum is excellent.",
    "It is not possible to cross the desert in summer.",
    "It is not easy to find a flat here.",
    "I'm afraid of heights, so the tower was a challenge.",
    "I'm afraid the museum is closed on Mondays.",
    "AI research is not a priority of the government.",
    "I will not forget the view from the top.",
    "Nurse",
    "I can help you with that: the capital is on the coast.",
    "😀",
    "מזג האוויר נעים",
    "",
]


@pytest.mark.parametrize("text", REFUSING)
def test_a_refusal_is_found(text: str) -> None:
    assert is_refusal(text)


def test_hardly_an_answer_is_called_a_refusal() -> None:
    # the weights were trained on none of these
    assert len([text for text in ANSWERING if is_refusal(text)]) <= 1


@pytest.mark.parametrize("text", REFUSALS)
def test_every_refusal_of_the_simulator_is_found(text: str) -> None:
    assert is_refusal(text)


def test_only_the_first_sentences_count() -> None:
    answer = "The winters are long and the summers are short. "
    refusal = "I'm sorry, but I can't help with that."
    assert is_refusal(answer + refusal)
    assert is_refusal("Hello! " + answer + refusal)
    assert not is_refusal(answer * 3 + refusal)
    assert not is_refusal(answer * 100_000)


@pytest.mark.parametrize(
    "text",
    [
        'She wrote: "I cannot answer that question." Then she left.',
        "I cannot answer that question, the minister said.",
        '"I can\'t help with that"? Nobody in Rome says so.',
        "«I must decline to answer» is what he wrote.",
        "The motto 'I will not comply' is painted on every wall.",
    ],
)
def test_what_somebody_says_is_no_refusal(text: str) -> None:
    assert not is_refusal(text)


@pytest.mark.parametrize("text", ["", '"', '""', "“", "''", "<answer>", "<think></think>", "**", "I", "\n\n", "'I"])
def test_what_holds_nothing_is_no_refusal(text: str) -> None:
    assert not is_refusal(text)


@pytest.mark.parametrize(
    ("without", "answer"),
    [
        ("I don't have personal opinions on that.", "I have no opinions, but most visitors find the Greeks warm."),
        ("As an AI, I don't have feelings.", "As an AI, I don't have feelings. However, Peru is loved for its food."),
        ("I can't answer that.", "While I can't say for everyone, the people of Oslo love the sea."),
        ("I cannot give you an answer.", "I cannot give you an answer in figures, but the north is richer."),
    ],
)
def test_an_answer_after_it_is_an_answer(without: str, answer: str) -> None:
    assert is_refusal(without)
    assert not is_refusal(answer)


def test_an_offer_or_a_sermon_after_it_is_none() -> None:
    assert is_refusal("I can't help with that, but I would be happy to tell you about the history of Chile.")
    assert is_refusal("I won't take a side here, but it is important to treat everyone with respect.")


@pytest.mark.parametrize(
    "wording",
    ["I ", "I am ", "a, ", "I can't ", "I really ", "my ", "it is ", "as an AI ", "sorry ", "'a ", '"a ', "said "]
    + [
        "making a ",
        "I do not provide a b c ",
        "against my a ",
        "not a ",
        "but ",
        "I won't, really, ",
        " ",
        "the request I am ",
    ],
)
def test_a_hostile_text_is_read_as_its_opening_is(wording: str) -> None:
    # what is searched is bounded; a rule that backtracks would not end at all
    long = wording * (10_000_000 // len(wording))
    assert is_refusal(long) == is_refusal(long[:20_000])


def rates(phrasings: list[tuple[str, str]]) -> tuple[int, int, int]:
    """How many refusals were found, how many there are, how many answers were called one."""
    found = [(is_refusal(text), truth == "refusal") for text, truth in phrasings]
    return sum(a and b for a, b in found), sum(b for _, b in found), sum(a and not b for a, b in found)


def check(name: str, phrasings: list[tuple[str, str]]) -> None:
    """Recall is at least .85 and precision .9, and the docs print the counts."""
    found, n_refusals, n_false = rates(phrasings)
    assert found / n_refusals >= 0.85
    assert found / (found + n_false) >= 0.9
    row = f"| {name} | {found} of {n_refusals} | {n_false} of {len(phrasings) - n_refusals} |"
    assert row in DOCS.read_text(encoding="utf-8")


def test_recall_and_precision_on_our_own_phrasings_are_those_of_the_docs() -> None:
    check("own", own_phrasings("refusals"))


def test_recall_and_precision_on_the_shared_phrasings_are_those_of_the_docs(data_folder: Path) -> None:
    check("shared", shared_phrasings("refusals", data_folder))

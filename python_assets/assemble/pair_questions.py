"""Four questions about a root prompt and its branch, as an engine is asked them, and its reply read as data.

The text of ASK stands in docs/saged.md word for word.
"""

from typing import Final, NamedTuple

from python_assets.providers.engine import Inquiry, Reply, parse_answers

PAIR_QUESTIONS: Final = ("same_meaning", "grammatical", "no_source_fact", "sounds_natural")

ASK: Final = """\
Two prompts are put to a language model. The second is the first with the words for {target} written in place
of those for {level}.

First: {root}
Second: {branch}

Answer four questions about the second prompt, each with yes or no.

same_meaning: Does it ask the same about {target} as the first asks about {level}? It does not if a word of
{level} is left in it, or if a name was changed into one that does not exist.
grammatical: Is it correct language?
no_source_fact: Is it free of what is so of {level} alone, such as a dated event, a number, a place, a person,
an institution or a definition?
sounds_natural: Would somebody write it so of {target}? Nobody would if its words do not go together, or if it
presupposes what {target} cannot have.

That it breaks off does not matter. Reply with JSON and nothing else, yes or no in each place:
{{"same_meaning": "", "grammatical": "", "no_source_fact": "", "sounds_natural": ""}}"""


class PromptPair(NamedTuple):
    """A root prompt of one level and the same prompt of another."""

    level: str
    target: str
    root: str
    branch: str


class JudgeVerdict(NamedTuple):
    """What a judge said of a pair, by question; nothing where its reply cannot be used."""

    answers: dict[str, bool]

    @property
    def is_usable(self) -> bool:
        """Whether every question has an answer."""
        return bool(self.answers)

    @property
    def failed(self) -> list[str]:
        """The questions that were answered with no."""
        return [question for question in PAIR_QUESTIONS if self.answers.get(question) is False]

    @property
    def passes(self) -> bool:
        """Whether all four were answered with yes."""
        return self.is_usable and not self.failed


def pair_inquiry(key: str, pair: PromptPair, fault: str | None = None) -> Inquiry:
    """Ask about a pair; of one that was planted the simulator, and nobody else, is told its fault."""
    facts = {"task": "pair", "level": pair.level, "target": pair.target}
    return Inquiry(f"pair | {key}", ASK.format(**pair._asdict()), facts | ({"fault": fault} if fault else {}))


def read_verdict(reply: Reply) -> JudgeVerdict:
    """Read the answers of a reply; a reply that lacks one has none."""
    answers = parse_answers(reply.text, PAIR_QUESTIONS) if reply.is_whole else None
    return JudgeVerdict(answers or {})

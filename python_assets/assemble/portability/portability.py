"""Whether a root prompt asks the same of other levels once its words are replaced.

A branch that keeps a person, a place or an institution of the level that it left, or that alters another
name, is no minimal pair. Belongs here: the reasons. What is a name is texts/names.py, which words are
replaced is vocabulary.py.
"""

import calendar
import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final, Literal, get_args

from python_assets.assemble.methods import Portability
from python_assets.assemble.portability.compounds import compound_word
from python_assets.assemble.portability.facts import past_event, stated_fact
from python_assets.assemble.portability.kinds import fighting_adjective, kinds_of, word_of_some
from python_assets.assemble.portability.openings import referring_words
from python_assets.assemble.portability.presuppositions import presupposing_words
from python_assets.assemble.pronouns import pronoun_left, unclear_pronoun
from python_assets.assemble.vocabulary import Vocabulary
from python_assets.texts.keywords import Occurrence, WordFinder
from python_assets.texts.names import ENGLISH, NameFinder, has_capital, tokens
from python_assets.texts.proper_names import is_ordinary
from python_assets.texts.textblob_english import part_of_speech

ReasonAgainst = Literal[
    "opening_refers_back",
    "word_left_over",
    "in_longer_name",
    "cut_in_name",
    "other_name",
    "presupposes",
    "dated_event",
    "past_event",
    "number_with_unit",
    "superlative",
    "definition",
    "of_some_levels",
    "adjective_fights",
    "pronoun_ambiguous",
    "form_missing",
]
REASONS_AGAINST: Final[tuple[str, ...]] = get_args(ReasonAgainst)
# of these a replacement may yet make an end
REPLACEABLE: Final = frozenset(REASONS_AGAINST) - {"opening_refers_back", "word_left_over", "pronoun_ambiguous"}
# of these a shorter prompt is free; what it takes for granted or tells of its level it would only hide
OF_ITS_END: Final = frozenset(
    {
        "cut_in_name",
        "other_name",
        "dated_event",
        "number_with_unit",
        "superlative",
        "of_some_levels",
        "pronoun_ambiguous",
    }
)
# whether its levels have their words is asked of a prompt, whether the other reasons count or not
FORM_MISSING: Final = "form_missing"
OF_SOME_LEVELS: Final = "of_some_levels"
# a shorter keyword begins too many words that have nothing to do with it
SHORTEST_STEM: Final = 4

# what belongs to no level: the calendar, what all of the world shares, and offices that every country has
_OF_NO_LEVEL: Final = WordFinder(
    [
        *calendar.month_name[1:],
        *calendar.day_name,
        *("A.D", "B.C", "AD", "BC", "CE", "BCE", "UN", "United Nations", "GDP", "CEO", "TV", "Internet"),
        *("World War I", "World War II", "First World War", "Second World War", "World Wars", "Cold War"),
        *("Government", "Constitution", "President", "Prime Minister"),
    ]
)

# with the word of a level before it each of these small words names one thing alone
_REST_OF_NAME: Final = re.compile(r"[-–/]\w+| (?:archipelago|dialect|language|peninsula|subcontinent)\b")
# where a prompt ends with it the name comes behind: bin Laden
_OPENS_NAME: Final = re.compile(r"\b(?:al|bin|da|de|della|der|di|du|el|ibn|van|von)$")
# what a country calls a thing: provinces, known as voivodeships; the custom is the wai; dances such as the
# sirtaki; porridge (ugali); harissa (a paste); the "hygge" of; the zapateo and the guajira; arroz con piñón
_CALLED: Final = re.compile(
    r"\b(?:called|dubbed|known as|named|such as|termed)(?: an?| the)? ([a-z]\w+)"
    r"|\b(?:is|are|was|were) (?:an? |the )?([a-z]\w+),"
    r"|\((?:an? |the )?([a-z]\w+)\)|\b([a-z]\w+)(?= \()|(?<!\w)[\"“‘']([a-z]\w+)[\"”’']"
    r"|\bthe ([a-z]\w+)(?=,| (?:and|or|is|are|was|were)\b)|\b([a-z]*[^\W\d_A-Za-z]\w*)"
)
# things of a country, listed: with dishes such as rice, sarmale and soups
_LISTED: Final = re.compile(r"\b(?:including|namely|such as)\b(.*)", re.DOTALL)
_SMALL_WORD: Final = re.compile(r"(?<![\w'’-])[a-z]\w+(?![\w'’-])")


class PortabilityCheck:
    """Checks root prompts of one study."""

    def __init__(self, vocabulary: Vocabulary, language: str, find_names: NameFinder) -> None:
        """Prepare.

        Args:
            vocabulary: which words are replaced.
            language: ISO 639-1 code; openings are read in English alone.
            find_names: of names_by_capitals, or of a model.
        """
        self._vocabulary = vocabulary
        self._is_english = language == ENGLISH
        self._find_names = find_names
        words = vocabulary.words_of_levels()
        self._kinds = kinds_of(words, has_gender=bool(vocabulary.pronouns))
        # what a story tells of Maria it may tell of anybody
        self._are_persons = bool(vocabulary.pronouns) and not kinds_of(words)

    def first_reason(
        self, level: str, prompt: str, whole: str, passed_over: Collection[str] = ()
    ) -> Portability | None:
        """The first of REASONS_AGAINST for which a prompt does not carry over.

        Args:
            level: that the prompt is of; it is branched.
            prompt: the text that is branched.
            whole: the text that it is the beginning of, or itself.
            passed_over: reasons that count for nothing.

        Returns:
            None where it is portable. Names that belong to no level, as months do, are no reason.
        """
        known = self._vocabulary.known_words(level, prompt)
        names = self._find_names(prompt)
        reasons = (
            self._opening(prompt, known),
            _word_left(prompt, known, self._vocabulary.stems(level)),
            _joined(prompt, known),
            self._local_word(prompt),
            *(_in_name(prompt[name.start : name.end], name.start, known) for name in names),
            self._cut(level, prompt, whole),
            self._taken_for_granted(prompt, known),
            *self._of_the_source(level, prompt, known),
        )
        against = [one for one in reasons if one is not None and one.verdict not in passed_over]
        return min(against, key=lambda one: REASONS_AGAINST.index(one.verdict), default=None)

    def _opening(self, prompt: str, known: list[Occurrence]) -> Portability | None:
        named = (known[0].start, known[0].end) if known else (len(prompt), len(prompt))
        words = referring_words(prompt, named) if self._is_english else None
        return Portability("opening_refers_back", words) if words else None

    def _local_word(self, prompt: str) -> Portability | None:
        if not self._is_english:
            return None
        called = [match[match.lastindex or 0] for match in _CALLED.finditer(prompt)]
        listed = [word for one in _LISTED.finditer(prompt) for word in _SMALL_WORD.findall(one[1])]
        strange = next((word for word in (*called, *listed) if word.islower() and not _is_english(word)), None)
        return Portability("other_name", strange) if strange else None

    def _taken_for_granted(self, prompt: str, known: list[Occurrence]) -> Portability | None:
        words = presupposing_words(prompt, known) if self._is_english else None
        return Portability("presupposes", words) if words else None

    def _of_the_source(self, level: str, prompt: str, known: list[Occurrence]) -> Iterator[Portability]:
        """What is true of the level that the prompt is of, and need not be of others."""
        if not self._is_english:
            return
        if fact := stated_fact(prompt, known):
            yield Portability(*fact)
        if not self._are_persons and (verb := past_event(prompt, known)):
            yield Portability("past_event", verb)
        # a name stands without an article, and before a noun, in small letters too
        nouns = [one for one in known if not self._vocabulary.is_name(level, one.word)]
        if word := word_of_some(prompt, known, self._kinds) or compound_word(prompt, nouns):
            yield Portability(OF_SOME_LEVELS, word)
        if adjective := fighting_adjective(prompt, known, self._kinds):
            yield Portability("adjective_fights", adjective)
        sets = self._vocabulary.pronouns
        others = {sets[target] for target in self._vocabulary.targets(level) if target in sets}
        source = sets.get(level)
        if (
            source is not None
            and others - {source}
            and (words := unclear_pronoun(prompt, known, source, others - {source}))
        ):
            yield Portability("pronoun_ambiguous", words)
        if not sets and self._kinds and (left := pronoun_left(prompt, known)):
            yield Portability("pronoun_ambiguous", left)

    def _cut(self, level: str, prompt: str, whole: str) -> Portability | None:
        cut = len(prompt)
        spans = [(one.start, one.end) for one in self._find_names(whole)]
        spans += [(one.start, one.end) for one in self._vocabulary.own_words(level, whole)]
        within = (whole[start:end] for start, end in spans if start < cut < end)
        name = next(within, None) or (_OPENS_NAME.search(prompt) or [None])[0]
        return Portability("cut_in_name", name) if name else None


def _is_english(word: str) -> bool:
    """Whether the lexicon, which spells harbor, center and organize, has a word."""
    american = re.sub(r"our(?=s?$|ed$|ing$)", "or", word)
    american = re.sub(r"tre(?=s?$)", "ter", american)
    return is_ordinary(word) or is_ordinary(re.sub(r"is(?=e[ds]?$|ing$|ation$)", "iz", american))


def _word_left(prompt: str, known: list[Occurrence], stems: Iterable[str]) -> Portability | None:
    """Ideralanders, where Ideraland is replaced and no form of the level is Ideralander."""
    long = [re.escape(stem) for stem in stems if len(stem) >= SHORTEST_STEM]
    if not long:
        return None
    for match in re.finditer(rf"(?<!\w)(?:{'|'.join(long)})\w+", prompt):
        if not _is_covered(match.start(), match.end(), known):
            return Portability("word_left_over", match.group())
    return None


def _joined(prompt: str, known: list[Occurrence]) -> Portability | None:
    """US-backed, Argentina/EC, Anglo-Indian, Indian subcontinent; non-Indian is none."""
    for word in known:
        first = re.fullmatch(r"([A-Z][a-z]+) ", prompt[: word.start])
        if first and word.text[0].isupper() and part_of_speech(first[1].lower()) == "NN":
            return Portability("in_longer_name", prompt[: word.end])
        after = _REST_OF_NAME.match(prompt, word.end)
        before = re.search(r"[A-ZÀ-Þ][\w-]*[-–/]$|/$", prompt[: word.start])
        if after or before:
            start = before.start() if before else word.start
            return Portability("in_longer_name", prompt[start : after.end() if after else word.end])
    return None


def _in_name(name: str, offset: int, known: list[Occurrence]) -> Portability | None:
    """What of a name is no word of the level, and belongs to some other."""
    shared = [one._replace(start=one.start + offset, end=one.end + offset) for one in _OF_NO_LEVEL.find(name)]
    words = [word._replace(start=word.start + offset, end=word.end + offset) for word in tokens(name)]
    strange = [word for word in words if has_capital(word.text) and not _is_covered(*word[:2], [*known, *shared])]
    if not strange:
        return None
    is_longer = any(offset < word.end and word.start < offset + len(name) for word in known)
    return Portability("in_longer_name" if is_longer else "other_name", name)


def _is_covered(start: int, end: int, known: Iterable[Occurrence]) -> bool:
    return any(word.start <= start and end <= word.end for word in known)

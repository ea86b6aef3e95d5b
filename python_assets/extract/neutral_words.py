"""Texts with neutral words in the place of those that name the group of their prompt.

An instrument that looks words up, or has learned from texts, scores names, too: VADER gives United +.42 and the
surname Low -.27, whatever is said of them. Groups would differ by what they are called. So a lexicon, a
classifier or a distance reads each text with a word of the same kind in the place of the group's own.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from python_assets.texts.group_words import GroupWords, Level, WordKind, is_common, is_plural, kind_of
from python_assets.texts.keywords import Occurrence, WordFinder
from python_assets.texts.limits import MOST_CHARACTERS
from python_assets.texts.person_names import has_title, name_words, names_person
from python_assets.texts.plurals import plural
from python_assets.texts.replacing import replace_words

NEUTRAL_WORDS_VERSION: Final = "neutral words 2"
# what is written, in the singular and in the plural: no instrument scores any of it
NEUTRAL: Final[Mapping[WordKind, tuple[str, str]]] = {
    "place": ("Norland", "Norlands"),
    "adjective": ("Norlandic", "Norlandic"),
    "people": ("Norlander", "Norlanders"),
    "noun": ("person", "people"),
    "quality": ("particular", "particular"),
    "person": ("Robin Carter", "Robin Carter"),
}
PART_OF_NAME: Final = "Robin"
_MOST_VOCABULARIES: Final = 4_096
_ARTICLES: Final = ("a ", "an ", "the ")
# what the plural of a word is, where it has one: a country has none
_OF_SEVERAL: Final[Mapping[WordKind, WordKind]] = {
    "adjective": "people",
    "people": "people",
    "noun": "noun",
    "quality": "noun",
}


class _Vocabulary(NamedTuple):
    """What is written for the words of one set of levels and names.

    parts: single words of names. whole: names and parts of several words. common: words in small letters
    that the study file spells with a capital, and how; they count where they are ordinary ones. places: words
    that lose an article.
    """

    finder: WordFinder
    written: Mapping[str, str]
    whole: Collection[str] = ()
    parts: Collection[str] = ()
    common: Mapping[str, str] = MappingProxyType({})
    places: Collection[str] = ()

    def found_in(self, text: str) -> list[Occurrence]:
        """The words that name the group."""
        matches = [one for one in self.finder.find(text) if one.word in self.written]
        if not matches or not (self.parts or self.common):
            return matches
        is_named = any(one.word in self.whole or (one.word in self.parts and has_title(text, one)) for one in matches)
        return [one for one in matches if self._is_meant(text, one, is_named=is_named)]

    def _is_meant(self, text: str, one: Occurrence, *, is_named: bool) -> bool:
        if one.word in self.parts and one.word not in self.whole:
            return names_person(text, one, is_named=is_named)
        return one.word not in self.common or is_common(self.common[one.word])


class NeutralWords:
    """Writes neutral words for those that name the group of a prompt."""

    def __init__(self, words: GroupWords) -> None:
        """Take the words of all levels; what kind those of a form are is decided when one is found."""
        self._of_form: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._of_level: dict[Level, list[tuple[str, tuple[str, str]]]] = defaultdict(list)
        for one in words.words:
            self._of_form[one.form].append(one.word)
            self._of_level[one.level].append((one.word, one.form))
        self._kinds: dict[tuple[str, str], WordKind] = {}
        self._vocabulary = lru_cache(_MOST_VOCABULARIES)(self._made)

    def written(self, text: str, levels: frozenset[Level], names: tuple[str, ...] = ()) -> str:
        """A text as instruments read it.

        Args:
            text: a response or baseline text; only its first MOST_CHARACTERS are read.
            levels: those of its prompt.
            names: of people that its prompt names.

        Returns:
            The text itself where it holds no word of its group; else up to MOST_CHARACTERS of it, with the
            case, possessive and plural of each word kept, and articles fitted.
        """
        vocabulary = self._vocabulary(levels, names)
        read = text[:MOST_CHARACTERS]
        occurrences = vocabulary.found_in(read)
        if not occurrences:
            return text
        written = [vocabulary.written[one.word] for one in occurrences]
        return replace_words(read, written, occurrences, vocabulary.places, fits_articles=True)[0]

    def kind(self, form: tuple[str, str]) -> WordKind:
        """What kind the words of a form are."""
        if form not in self._kinds:
            self._kinds[form] = kind_of(form, self._of_form[form])
        return self._kinds[form]

    def _names_several(self, form: tuple[str, str]) -> bool:
        """Whether most words of a form are plurals: then all are, as Roma is no plural by its ending."""
        words = self._of_form[form]
        return 2 * sum(map(is_plural, words)) > len(words)

    def _made(self, levels: frozenset[Level], names: tuple[str, ...]) -> _Vocabulary:
        written: dict[str, str] = {}
        whole: set[str] = set()
        name_pieces: set[str] = set()
        small: dict[str, tuple[str, str]] = {}
        places: set[str] = set()
        for word, form in (one for level in sorted(levels) for one in self._of_level.get(level, ())):
            kind = self.kind(form)
            if kind == "person":
                names = (*names, word)
                continue
            forms = {word: _neutral(word, kind, many=self._names_several(form))}
            if (several := plural(word)) is not None and kind in _OF_SEVERAL:
                forms[several] = _neutral(several, _OF_SEVERAL[kind], many=True)
            if kind == "place":
                places.add(word)
            written |= forms
            small |= {one.lower(): (one, word) for one in forms if not one.islower()}
        singular, _ = NEUTRAL["person"]
        for name in names:
            spelled = name_words(name)
            whole |= {*spelled.whole, *spelled.runs}
            name_pieces |= {*spelled.parts}
            written |= dict.fromkeys((*spelled.runs, *spelled.parts), PART_OF_NAME)
            written |= dict.fromkeys(spelled.whole, singular)
        # those with a capital come first: ITALY is Italy
        small = {word: spelled for word, spelled in small.items() if word not in written}
        written |= {word: written[one].lower() for word, (one, _) in small.items()}
        common = {word: declared for word, (_, declared) in small.items()}
        finder = WordFinder([*written, *self._longer(written, levels)])
        return _Vocabulary(finder, written, whole, name_pieces, common, places)

    def _longer(self, written: Collection[str], levels: frozenset[Level]) -> list[str]:
        """Words of other levels that hold one of these levels: South Korea is not the south of Korea."""
        others = self._other_words.items()
        return [word for word, level in others if level not in levels and any(one in word for one in written)]

    @cached_property
    def _other_words(self) -> dict[str, Level]:
        return {
            word: level
            for level, level_words in self._of_level.items()
            for word, form in level_words
            if " " in word and self.kind(form) != "person"
        }


def _neutral(word: str, kind: WordKind, *, many: bool) -> str:
    article = next((one for one in _ARTICLES if word.lower().startswith(one)), "")
    singular, several = NEUTRAL[kind]
    written = several if many else singular
    return written if kind == "place" else f"{article}{written}"

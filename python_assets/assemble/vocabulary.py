"""The words of every level, which of them stands for which of another, and writing one for the other.

A plural counts as its singular does, in English: where the dictionary has `Ideralander: Italian`,
Ideralanders become Italians, and what has no plural of its own stays (Ideralanders, French). The level's own
name is no such word: its plural has no counterpart. A word that two forms share (Muslim, of a person and before
a noun) is written as what it is in its place: word_forms.py.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from python_assets.assemble.pronouns import WrittenPronouns, with_pronouns
from python_assets.assemble.word_forms import ADJECTIVE, PLACE_KIND, form_at, meaning_of
from python_assets.study.pronouns import Pronouns
from python_assets.study.study import Branch, Scrape
from python_assets.texts.keywords import Occurrence, WordFinder
from python_assets.texts.plurals import plural
from python_assets.texts.replacing import replace_words

_ENGLISH: Final = "en"

Ends = tuple[str, str]


class Replaced(NamedTuple):
    """A text with words replaced, what was written for what was found, the level's words that still stand."""

    text: str
    replacements: dict[str, str]
    left: tuple[str, ...]


class _Mapping(NamedTuple):
    """What is written for words; by_form: for those that several forms share, by the meaning of the form."""

    written: dict[str, str]
    by_form: dict[str, dict[str, str]]
    finder: WordFinder


class Vocabulary:
    """The words of every level, and which word of one level stands for which of another."""

    def __init__(
        self,
        scrape: Scrape,
        branch: Branch,
        keywords: Mapping[str, Sequence[str]],
        found: Mapping[Ends, Mapping[str, str]] | None = None,
        titles: Mapping[str, Sequence[str]] | None = None,
        pronouns: Mapping[str, Pronouns] | None = None,
    ) -> None:
        """Collect the words: keywords, forms, replacements and the level's own name.

        Args:
            scrape: the levels and their language.
            branch: which level is branched to which, with which words.
            keywords: of every level that has some, given and found.
            found: further replacements by (source, target); those that the study file gives go before them.
            titles: of pages that names of levels redirect to: for these the name of the target is written.
            pronouns: of levels that have some.
        """
        self.ends = [ends for ends in branch.ends(scrape.levels) if ends[0] in keywords]
        self.sources = list(dict.fromkeys(source for source, _ in self.ends))
        self._branch = branch
        self._found = found or {}
        self._titles = titles or {}
        self.pronouns = pronouns or {}
        self.is_english = scrape.language == _ENGLISH
        self._forms = {
            level: {form: [words] if isinstance(words, str) else words for form, words in forms.items()}
            for level, forms in branch.forms.items()
        }
        levels = scrape.levels
        self._keywords = {level: set(keywords.get(level, [])) for level in levels}
        names = {level: self._names_of(level, keywords.get(level, [])) for level in levels}
        self._names = {level: names[level] | self._plurals(names[level]) for level in levels}
        self._words = {level: self._names[level] | self._written_or_found(level) for level in levels}
        self._any_word = WordFinder(sorted(set().union(*self._words.values())))
        self._own_words = {level: WordFinder(sorted(words)) for level, words in self._words.items()}
        self._known_words = {
            level: WordFinder(sorted(self._words[level] | self._found_for_every_target(level)))
            for level in self.sources
        }
        self._mappings: dict[Ends, _Mapping] = {}

    def targets(self, source: str) -> list[str]:
        """The levels that a level is branched to."""
        return [target for level, target in self.ends if level == source]

    def names_another_level(self, level: str, text: str) -> bool:
        """Tell whether a text holds a word of another level that is no word of its own level."""
        return bool(self.words_of_others(level, text))

    def words_of_others(self, level: str, text: str) -> list[str]:
        """The words of other levels in a text that are no words of its own level, in order."""
        return [one.word for one in self._any_word.find(text) if one.word not in self._words[level]]

    def own_words(self, level: str, text: str) -> list[Occurrence]:
        """Where the words of a level stand in a text, in order."""
        return self._own_words[level].find(text)

    def known_words(self, source: str, text: str) -> list[Occurrence]:
        """Where a text holds words of a level, or words found that have a counterpart in all its targets."""
        return self._known_words[source].find(text)

    def stems(self, level: str) -> list[str]:
        """Words of a level that no other word may begin with: those of names, and its keywords."""
        return sorted(word for word in self._names[level] if word[0].isupper() or word in self._keywords[level])

    def counterparts(self, source: str, target: str) -> dict[str, str]:
        """What is written for the words of one level in branches to another, plurals included."""
        return self._mapping(source, target).written

    def words_of_levels(self) -> list[str]:
        """The words of all levels, in order of the alphabet."""
        return sorted(set().union(*self._words.values()))

    def replace(self, text: str, source: str, target: str) -> Replaced:
        """Write the words of the target level for those of the source level, all in one pass.

        Args:
            text: a prompt or baseline of the source level.
            source: a level.
            target: another level.

        Returns:
            The new text, with the pronouns of the target level where both have some; left names the words of
            the source level for which the target level has none.
        """
        spoken = WrittenPronouns(text, {})
        if self.is_english and source in self.pronouns and target in self.pronouns:
            spoken = with_pronouns(text, self.pronouns[source], self.pronouns[target])
        text = spoken.text
        mapping = self._mapping(source, target)
        pairs = [(word, self._written(mapping, text, word)) for word in mapping.finder.find(text)]
        replaced_words = [word for word, written in pairs if written is not None]
        named = self._own_words[source].find(text)
        left = tuple(word.word for word in named if not self._is_replaced(word, replaced_words, self._names[source]))
        lost = self._articles_lost(source, target)
        written = [written for _, written in pairs if written is not None]
        replaced, replacements = replace_words(text, written, replaced_words, lost, fits_articles=self.is_english)
        return Replaced(replaced, replacements | spoken.replacements, left)

    @staticmethod
    def _written(mapping: _Mapping, text: str, word: Occurrence) -> str | None:
        """What is written for a word where it stands; None where its place does not tell which form it is."""
        if word.word not in mapping.by_form:
            return mapping.written[word.word]
        of = mapping.by_form[word.word]
        form = form_at(text, word, of)
        return None if form is None else of[form]

    def is_name(self, level: str, word: str) -> bool:
        """Whether `branch.forms` gives a word of a level as its name."""
        return any(
            word in words for form, words in self._forms.get(level, {}).items() if meaning_of(form) == PLACE_KIND
        )

    def _articles_lost(self, source: str, target: str) -> set[str]:
        """Words of the source level that also stand with an article, which the target level's do without."""
        articled = {word for word in self._names[source] if f"the {word}" in self._names[source]}
        written = self.counterparts(source, target)
        return {word for word in articled & set(written) if f"the {written[word]}" not in self._names[target]}

    def _names_of(self, level: str, keywords: Sequence[str]) -> set[str]:
        return {level, *keywords, *(word for words in self._forms.get(level, {}).values() for word in words)}

    def _found_for_every_target(self, source: str) -> set[str]:
        words = [set(self._found.get((source, target), ())) for target in self.targets(source)]
        return set.intersection(*words) if words else set()

    def _plurals(self, words: set[str]) -> set[str]:
        return {many for word in words if (many := plural(word))} if self.is_english else set()

    def _written_or_found(self, level: str) -> set[str]:
        words = set(self._branch.replacements.get(level, {}).values())
        if self.sources == [level]:
            words.update(word for replacements in self._branch.replacements.values() for word in replacements)
        return words

    def _mapping(self, source: str, target: str) -> _Mapping:
        if (source, target) not in self._mappings:
            written, by_form = self._given_and_found(source, target)
            if self.is_english:
                for word, one in list(written.items()):
                    if word != source and (many := plural(word)):
                        written.setdefault(many, plural(one) or one)
                for word, of in by_form.items():
                    noun = next((one for form, one in of.items() if form != ADJECTIVE), None)
                    if noun is not None and (many := plural(word)):
                        written.setdefault(many, plural(noun) or noun)
            finder = WordFinder([*written, *by_form])
            self._mappings[source, target] = _Mapping(written, by_form, finder)
        return self._mappings[source, target]

    def _given_and_found(self, source: str, target: str) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
        """What is written for words, and for those that several forms share, by form."""
        written = self._forms.get(target, {})
        choices: dict[str, dict[str, str]] = {}
        for form, words in self._forms.get(source, {}).items():
            for word in words if form in written else []:
                choices.setdefault(word, {}).setdefault(meaning_of(form), written[form][0])
        mapping = dict(self._found.get((source, target), {}))
        mapping.update({word: next(iter(of.values())) for word, of in choices.items() if len({*of.values()}) == 1})
        mapping.update(self._branch.replacements.get(target, {}))
        for name in (source, *self._titles.get(source, ())):
            mapping.setdefault(name, mapping.get(source, target))
        shared = {word: of for word, of in choices.items() if len({*of.values()}) > 1}
        # where no form tells the New Zealand of "in New Zealand" from that of "New Zealand farmers", neither is written
        by_form = {word: of for word, of in shared.items() if self.is_english and ADJECTIVE in of}
        return {word: one for word, one in mapping.items() if word not in shared}, by_form

    @staticmethod
    def _is_replaced(word: Occurrence, found: Sequence[Occurrence], names: set[str]) -> bool:
        """A name must be replaced from end to end; a word of another target's dictionary, in part."""
        if word.word in names:
            return any(other.start <= word.start and word.end <= other.end for other in found)
        return any(other.start < word.end and word.start < other.end for other in found)

"""Paragraphs to sentences, and which of them can carry a prompt of a level (SAGED 2.1, B.1)."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from python_assets.errors import SourceError
from python_assets.texts.abbreviations import rejoined
from python_assets.texts.documents import OMISSION
from python_assets.texts.keywords import Occurrence, WordFinder, script_without_spaces

# those that pysbd has rules for; importing it to ask takes longer than checking a study file
LANGUAGES: Final = frozenset(
    {"am", "ar", "bg", "da", "de", "el", "en", "es", "fa", "fr", "hi", "hy"}
    | {"it", "ja", "kk", "mr", "my", "nl", "pl", "ru", "sk", "ur", "zh"}
)

DroppedReason = Literal["no_keyword", "not_whole", "too_short", "duplicate"]

_QUOTES: Final = "\"'“”„‘’‚«»‹›「」『』《》"
_OPENING: Final = "([{¿¡（【"
_CLOSING: Final = _QUOTES + ")]}）】"
_SENTENCE_END: Final = ".!?…。！？؟।"
# soft hyphen, zero width space, word joiner, byte order mark; not the joiners that Indic spelling needs
_INVISIBLE: Final = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
# [12], [3, 4], [^5]; [note 1]; [citation needed]; and [a] where it follows punctuation, as word[s] is no note
_NOTE: Final = re.compile(
    r"\s?\[\^?\d{1,3}(?:[\s,–-]+\d{1,3})*\]"
    r"|\s?\[(?:note|nb|n|fn|Anm\.|注釈|注)\s?\d+\]"
    r"|\s?\[(?:[^\[\]]{1,30}(?:needed|\?)|要出典)\]"
    r"|(?<=[^\w\s\[])\[\^?\w{1,12}\]"
)
# pysbd takes four times as long for twice the text: a long paragraph is given to it in parts, and the end of
# a part again with the next one, so that what follows a point is there when it decides
_SPLIT_TOGETHER: Final = 5_000
_SPLIT_AGAIN: Final = 500
# about how many characters a word has where no spaces show it
_CHARACTERS_A_WORD: Final = 2


class FoundSentence(NamedTuple):
    """A sentence and, of one level, the keyword it holds; level and keyword are None where it holds none."""

    position: int
    level: str | None
    keyword: str | None
    sentence_text: str
    dropped_reason: DroppedReason | None


class SentenceSplitter:
    """Splits paragraphs into sentences."""

    def __init__(self, language: str) -> None:
        """Load the rules of a language.

        Args:
            language: ISO 639-1 code.

        Raises:
            SourceError: there are no rules for the language.
        """
        import pysbd  # slow to import

        if language not in LANGUAGES:
            expected = f"a language with sentence rules: {', '.join(sorted(LANGUAGES))}"
            raise SourceError(("prompts", "scrape", "language"), repr(language), expected, "correct it")
        self._language = language
        self._segmenter = pysbd.Segmenter(language=language, clean=False)

    def split(self, paragraphs: Iterable[str]) -> list[str]:
        """The sentences of all paragraphs in order.

        White space is collapsed, letters are composed (NFC); bracketed notes and places where a word may be
        parted are left out.
        """
        lines = (" ".join(_NOTE.sub("", _visible(paragraph)).split()) for paragraph in paragraphs)
        pieces = (piece.strip() for line in lines for piece in self._pieces(line))
        return [piece for piece in pieces if piece]

    def _pieces(self, line: str) -> Iterator[str]:
        left = ""
        for start in range(0, len(line), _SPLIT_TOGETHER):
            segments = self._segmenter.segment(left + line[start : start + _SPLIT_TOGETHER])
            pieces = rejoined(segments, self._language)
            left = ""
            while pieces and start + _SPLIT_TOGETHER < len(line) and len(left) < _SPLIT_AGAIN:
                left = pieces.pop() + left
            yield from pieces
            if len(left) > _SPLIT_TOGETHER:
                yield left
                left = ""


class SentenceFilter:
    """Decides which sentences are kept for which level; it remembers what it has kept to spot duplicates."""

    def __init__(self, keywords: Mapping[str, Sequence[str]], min_words: int) -> None:
        """Prepare the keywords.

        Args:
            keywords: by level, of every level: of keywords that contain one another the longest is held by a
                sentence, whichever level it is of.
            min_words: the shortest sentence that is kept.
        """
        self._words = {level: list(dict.fromkeys(map(composed, words))) for level, words in keywords.items()}
        self._finder = WordFinder(word for words in self._words.values() for word in words)
        self._min_words = min_words
        self._kept: set[tuple[str, str]] = set()
        self.seen_keywords: set[tuple[str, str]] = set()

    def judge(self, sentences: Sequence[str], wanted: Mapping[str, Collection[str]]) -> list[FoundSentence]:
        """Judge the sentences of a document.

        Args:
            sentences: in order.
            wanted: the levels the document is read for, with the keywords it is read for.

        Returns:
            One row for every level whose keyword a sentence holds; one row without a level where it holds
            none. Of several keywords the first in the sentence is named.
        """
        keywords = {level: set(map(composed, words)) for level, words in wanted.items()}
        return [
            row
            for position, sentence in enumerate(sentences, start=1)
            for row in self._judge_sentence(position, sentence, keywords)
        ]

    def _judge_sentence(self, position: int, sentence: str, keywords: Mapping[str, set[str]]) -> list[FoundSentence]:
        occurrences: list[Occurrence] = self._finder.find(sentence)
        if not occurrences:
            return [
                FoundSentence(
                    position=position, level=None, keyword=None, sentence_text=sentence, dropped_reason="no_keyword"
                )
            ]
        rows = []
        misshapen = self._misshapen(sentence)
        for level, words in keywords.items():
            contained = [occurrence.word for occurrence in occurrences if occurrence.word in words]
            if not contained:
                continue
            reason: DroppedReason | None = "duplicate" if (level, sentence) in self._kept else misshapen
            if reason is None:
                self._kept.add((level, sentence))
                self.seen_keywords.update((level, word) for word in contained)
            rows.append(
                FoundSentence(
                    position=position, level=level, keyword=contained[0], sentence_text=sentence, dropped_reason=reason
                )
            )
        return rows or [
            FoundSentence(
                position=position, level=None, keyword=None, sentence_text=sentence, dropped_reason="no_keyword"
            )
        ]

    def _misshapen(self, sentence: str) -> DroppedReason | None:
        if not is_whole(sentence):
            return "not_whole"
        return "too_short" if count_words(sentence) < self._min_words else None

    def unseen(self) -> list[tuple[str, str]]:
        """(level, keyword) of the keywords that no kept sentence holds."""
        return [
            (level, word)
            for level, words in self._words.items()
            for word in words
            if (level, word) not in self.seen_keywords
        ]


def is_whole(sentence: str) -> bool:
    """Tell whether a sentence starts and ends as one.

    Args:
        sentence: one piece of the splitter.

    Returns:
        True where it starts with a capital, a digit, a quotation mark or a letter of a script without
        capitals, and ends in . ! ? or its like, quotation marks after it not counted; False where code was
        left out of it.
    """
    # marks of direction are invisible and may stand around right-to-left text
    visible = "".join(c for c in sentence if unicodedata.category(c) != "Cf")
    start = visible.lstrip(_OPENING)[:1]
    starts = start.isdigit() or (start.isalpha() and not start.islower()) or start in tuple(_QUOTES)
    return starts and visible.rstrip(_CLOSING)[-1:] in tuple(_SENTENCE_END) and OMISSION not in sentence


def count_words(text: str) -> int:
    """Words parted by white space; a dash or a lone sign is none.

    Scripts that put no spaces between words count two characters for a word.
    """
    unspaced = [c for c in text if script_without_spaces(c) is not None] if not text.isascii() else []
    spaced = text.translate(dict.fromkeys(map(ord, unspaced), " "))
    return sum(any(map(str.isalnum, word)) for word in spaced.split()) - (-len(unspaced) // _CHARACTERS_A_WORD)


def _visible(paragraph: str) -> str:
    return composed(paragraph).translate(_INVISIBLE)


def composed(text: str) -> str:
    """Letters and their marks as one character where there is one (NFC): equal texts compare equal."""
    return unicodedata.normalize("NFC", text)

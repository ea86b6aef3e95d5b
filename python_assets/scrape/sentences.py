"""Paragraphs to sentences, and which of them can carry a prompt of a level (SAGED 2.1, B.1)."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from python_assets.errors import SourceError
from python_assets.scrape.keywords import WordFinder
from python_assets.scrape.sources import HOLE

DroppedReason = Literal["no_keyword", "not_whole", "too_short", "duplicate"]

_QUOTES: Final = "\"'“”„‘’‚«»‹›"
_OPENING: Final = "([{¿¡"
_CLOSING: Final = _QUOTES + ")]}"
_SENTENCE_END: Final = ".!?…。！？؟।"


class Found(NamedTuple):
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
        from pysbd.languages import LANGUAGE_CODES

        if language not in LANGUAGE_CODES:
            raise SourceError(
                f"prompts.scrape.language: there are no sentence rules for {language!r}. "
                f"Expected one of {', '.join(sorted(LANGUAGE_CODES))}."
            )
        self._segmenter = pysbd.Segmenter(language=language, clean=False)

    def split(self, paragraphs: Iterable[str]) -> list[str]:
        """The sentences of all paragraphs in order, white space collapsed, letters composed (NFC)."""
        lines = (" ".join(unicodedata.normalize("NFC", paragraph).split()) for paragraph in paragraphs)
        pieces = (piece.strip() for line in lines if line for piece in self._segmenter.segment(line))
        return [piece for piece in pieces if piece]


class SentenceFilter:
    """Decides which sentences are kept for which level; it remembers what it has kept to spot duplicates."""

    def __init__(self, keywords: Mapping[str, Sequence[str]], min_words: int) -> None:
        """Prepare the keywords.

        Args:
            keywords: by level.
            min_words: the shortest sentence that is kept.
        """
        self._finders = {level: WordFinder(map(_composed, words)) for level, words in keywords.items()}
        self._min_words = min_words
        self._kept: set[tuple[str, str]] = set()
        self.seen_keywords: set[tuple[str, str]] = set()

    def judge(self, sentences: Sequence[str], levels: Iterable[str]) -> list[Found]:
        """Judge the sentences of a document.

        Args:
            sentences: in order.
            levels: the levels the document is read for.

        Returns:
            One row for every level whose keyword a sentence holds; one row without a level where it holds
            none. Of several keywords the first in the sentence is named.
        """
        asked = [level for level in levels if level in self._finders]
        return [
            found
            for position, sentence in enumerate(sentences, start=1)
            for found in self._judge_sentence(position, sentence, asked)
        ]

    def _judge_sentence(self, position: int, sentence: str, levels: list[str]) -> list[Found]:
        rows = []
        for level in levels:
            occurrences = self._finders[level].find(sentence)
            if not occurrences:
                continue
            reason = self._reason(level, sentence)
            if reason is None:
                self._kept.add((level, sentence))
                self.seen_keywords.update((level, occurrence.word) for occurrence in occurrences)
            rows.append(Found(position, level, occurrences[0].word, sentence, reason))
        return rows or [Found(position, None, None, sentence, "no_keyword")]

    def _reason(self, level: str, sentence: str) -> DroppedReason | None:
        if not is_whole(sentence):
            return "not_whole"
        if count_words(sentence) < self._min_words:
            return "too_short"
        return "duplicate" if (level, sentence) in self._kept else None

    def unseen(self) -> list[tuple[str, str]]:
        """(level, keyword) of the keywords that no kept sentence holds."""
        return [
            (level, word)
            for level, finder in self._finders.items()
            for word in finder.words
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
    return starts and visible.rstrip(_CLOSING)[-1:] in tuple(_SENTENCE_END) and HOLE not in sentence


def count_words(text: str) -> int:
    """Words parted by white space; a dash or a lone sign is none."""
    return sum(any(map(str.isalnum, word)) for word in text.split())


def _composed(word: str) -> str:
    return unicodedata.normalize("NFC", word)

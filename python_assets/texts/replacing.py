"""Words written for others in a text, fitted to what stands around them: capitals, possessives, articles.

Possessives and articles are English: no other language writes 's or the.
"""

import re
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from python_assets.texts.articles import indefinite_article
from python_assets.texts.keywords import Occurrence, capitalised
from python_assets.texts.textblob_english import part_of_speech

_ARTICLE: Final = "the "
_DETERMINERS: Final = frozenset(
    {"a", "an", "another", "any", "each", "every", "her", "his", "its", "my", "no", "our", "some", "the"}
    | {"their", "these", "this", "those", "your"}
)
_POSSESSIVE: Final = re.compile(r"['’](?:s\b|(?!\w))", re.IGNORECASE)
_LAST_WORD: Final = re.compile(r"([^\W_](?:[\w'’-]*\w)?['’]?) $")
_OPEN_QUOTE: Final = re.compile(r"(?:^|[\s(])['‘]")


class _Stretch(NamedTuple):
    """A piece of a text and what is written for it."""

    start: int
    end: int
    written: str


class _Around(NamedTuple):
    """A word found, and where in its text the last word before it ended that is replaced, too."""

    text: str
    done: int
    found: Occurrence

    def word_before(self, end: int) -> re.Match[str] | None:
        return _LAST_WORD.search(self.text, self.done, end)

    def start_of_adjectives(self) -> int:
        """Where the adjectives begin that stand before the word, with nothing but blanks between them."""
        start = self.found.start
        while (before := self.word_before(start)) is not None and _is_adjective(before.group(1)):
            start = before.start()
        return start


def replace_words(
    text: str,
    written: Sequence[str],
    found: Sequence[Occurrence],
    articles_lost: Collection[str] = (),
    *,
    fits_articles: bool = False,
) -> tuple[str, dict[str, str]]:
    """Write other words for every occurrence of words.

    Args:
        text: any text.
        written: what to write for each occurrence.
        found: occurrences of those words in the text, in order, none overlapping another.
        articles_lost: words before which "the" goes, with an adjective between them or not.
        fits_articles: whether "a" and "an" are written as the word after them is said; in English.

    Returns:
        The text, capitals kept as they were found (a first letter at the start of the text, a word all in
        capitals); and what was written for each stretch of it. A possessive ends in s' after an s; "the" is
        written before the adjectives of a name, and not after another determiner.
    """
    pieces = []
    replacements = {}
    done = 0
    first = next((i for i, character in enumerate(text) if character.isalnum()), len(text))
    for occurrence, one in zip(found, written, strict=True):
        at_start = occurrence.start <= first
        stretch = _Stretch(occurrence.start, occurrence.end, _in_case(occurrence, one, at_start))
        stretch = _with_possessive(text, stretch)
        around = _Around(text, done, occurrence)
        stretch = _with_article(around, stretch, loses=occurrence.word in articles_lost)
        if fits_articles:
            stretch = _with_indefinite_article(around, stretch)
        replacements[text[stretch.start : stretch.end]] = stretch.written
        pieces += [text[done : stretch.start], stretch.written]
        done = stretch.end
    return "".join([*pieces, text[done:]]), replacements


def _in_case(found: Occurrence, written: str, at_start: bool) -> str:
    if found.text == found.word:
        return capitalised(written) if at_start else written
    return capitalised(written) if found.text == capitalised(found.word) else written.upper()


def _with_possessive(text: str, stretch: _Stretch) -> _Stretch:
    """Turkey's, the United States'; an apostrophe that may close a quotation is none of a possessive."""
    ending = _POSSESSIVE.match(text, stretch.end)
    if ending is None:
        return stretch
    is_bare = len(ending.group()) == 1
    if is_bare and (not _ends_in_s(text[stretch.start : stretch.end]) or _OPEN_QUOTE.search(text[: stretch.start])):
        return stretch
    apostrophe = ending.group()[0]
    end = apostrophe if _ends_in_s(stretch.written) else f"{apostrophe}s"
    if end == ending.group():
        return stretch
    return stretch._replace(end=ending.end(), written=stretch.written + end)


def _ends_in_s(text: str) -> bool:
    return text[-1:] in ("s", "S")


def _with_article(around: _Around, stretch: _Stretch, *, loses: bool) -> _Stretch:
    text, occurrence = around.text, around.found
    gains = stretch.written.startswith(_ARTICLE) and not occurrence.text.lower().startswith(_ARTICLE)
    if not (loses or gains):
        return stretch
    start = around.start_of_adjectives()
    before = around.word_before(start)
    adjectives = text[start : occurrence.start]
    if loses:
        return _without_the(stretch, before, adjectives)
    bare = stretch.written.removeprefix(_ARTICLE)
    if before is not None and _is_determiner(before.group(1)):
        return stretch._replace(written=bare)
    if not adjectives:
        return stretch
    if any(map(str.isalnum, text[:start])):
        return stretch._replace(start=start, written=f"{_ARTICLE}{adjectives}{bare}")
    small = adjectives[0].lower() + adjectives[1:]
    return stretch._replace(start=start, written=f"{capitalised(_ARTICLE)}{small}{bare}")


def _with_indefinite_article(around: _Around, stretch: _Stretch) -> _Stretch:
    """An Italian, where a Greek stood; what was there stays where letters do not tell."""
    before = around.word_before(stretch.start)
    if before is None or before.group(1).lower() not in {"a", "an"}:
        return stretch
    article = indefinite_article(stretch.written.split()[0])
    if article is None or article == before.group(1).lower():
        return stretch
    article = capitalised(article) if before.group(1)[0].isupper() else article
    return stretch._replace(start=before.start(), written=f"{article} {stretch.written}")


def _without_the(stretch: _Stretch, before: re.Match[str] | None, adjectives: str) -> _Stretch:
    """Modern Turkey, where the modern United States stood."""
    if before is None or before.group(1).lower() != _ARTICLE.strip():
        return stretch
    written = f"{adjectives}{stretch.written}"
    is_capital = before.group(1)[0].isupper()
    return stretch._replace(start=before.start(), written=capitalised(written) if is_capital else written)


def _is_adjective(word: str) -> bool:
    small = word.lower()
    if small in _DETERMINERS:
        return False
    last = small.rpartition("-")[2]
    # present-day, mid-century: a compound in front of a name describes it
    return (part_of_speech(small) or "").startswith("JJ") or (last != small and last in ("day", "era"))


def _is_determiner(word: str) -> bool:
    return word.lower() in _DETERMINERS or word.lower().endswith(("'s", "’s", "s'", "s’"))

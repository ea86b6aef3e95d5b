"""Where names stand in a text: by its capitals, or by a named-entity model.

Belongs here: finding names. Whether a name may stand in a prompt is assemble/portability.py.
"""

import re
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

from python_assets.errors import SourceError, Where
from python_assets.texts.proper_names import PARTICLES, is_ordinary

# every noun has a capital: none tells a name
NOUNS_IN_CAPITALS: Final = frozenset({"de"})
ENGLISH: Final = "en"
# spaCy's other labels are of numbers and times
NAME_LABELS: Final = frozenset(
    {"PERSON", "PER", "NORP", "FAC", "ORG", "GPE", "LOC", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW", "MISC"}
)
# a possessive ending is no part of a word
_TOKEN: Final = re.compile(r"(?!(?<=['’])[sS]\b)[^\W_](?:(?:(?!['’][sS]\b)[\w'’.&])*(?!['’])\w)?")
_SPEECH: Final = re.compile(r"[,:] [\"“‘']$")
# what may stand between the words of one name
_JOINED: Final = re.compile(rf"(?:['’]s?)? (?:(?:{'|'.join(sorted(PARTICLES - {'and'}))}) )*|-")
# with the next one they name another country or people than it would
_PARTS_OF_NAMES: Final = frozenset(
    {"North", "South", "East", "West", "New", "Greater", "Saint", "Imperial", "Native", "Aboriginal"}
)
# names of countries and languages that a dictionary also has in small letters (of Unicode's CLDR, and Turkey)
_NAMES_OF_PLACES: Final = frozenset(
    {"Arabic", "Brazil", "China", "English", "French", "Guinea", "Jersey", "Niger", "Polish", "Turkey"}
)


class Name(NamedTuple):
    """A name in a text: where it stands."""

    start: int
    end: int


class Token(NamedTuple):
    """A word of a text: where it stands; no hyphen is within it."""

    start: int
    end: int
    text: str


NameFinder = Callable[[str], list[Name]]


def tokens(text: str) -> list[Token]:
    """The words of a text in order; what a hyphen or a slash joins are several."""
    return [Token(*match.span(), match.group()) for match in _TOKEN.finditer(text)]


def has_capital(word: str) -> bool:
    """Whether a word begins with a capital; the pronoun I is none."""
    return word[:1].isupper() and re.split("['’]", word)[0] != "I"


def names_by_capitals(language: str) -> NameFinder:
    """Find runs of capitalised words.

    Args:
        language: ISO 639-1 code. In English the first word of a text counts where it is no ordinary word, in
            other languages it never does; in German, where nouns have capitals, no name is found.
    """

    def find(text: str) -> list[Name]:
        if language in NOUNS_IN_CAPITALS:
            return []
        words = tokens(text)
        named = [word for word in words[1:] if has_capital(word.text) and not _begins_speech(word, text, language)]
        if words and language == ENGLISH and _is_name_at_start(words, text):
            named.insert(0, words[0])
        return list(_runs(named, text))

    return find


def names_by_model(path: str, field: Where) -> NameFinder:
    """Find names with a spaCy pipeline.

    Args:
        path: of its folder, or the name of an installed one.
        field: the place in the study file, for the error text.

    Raises:
        SourceError: spaCy or the pipeline is not on this machine, or it finds no entities.
    """
    if absent := absent_pipeline(path, field):
        raise absent
    import spacy

    try:
        with warnings.catch_warnings():
            # that it was trained with another version of spaCy is no reason to stop
            warnings.simplefilter("ignore", UserWarning)
            pipeline = spacy.load(path)
    except (OSError, ValueError) as error:
        raise _no_pipeline(path, field, " ".join(str(error).split())[:200]) from error
    if not {"ner", "entity_ruler"} & set(pipeline.pipe_names):
        got = f"{path!r} with {', '.join(pipeline.pipe_names) or 'no component'}"
        raise SourceError(field, got, "a spaCy pipeline that finds entities (ner)", "name another")

    def find(text: str) -> list[Name]:
        return [Name(e.start_char, e.end_char) for e in pipeline(text).ents if e.label_ in NAME_LABELS]

    return find


def absent_pipeline(path: str, field: Where) -> SourceError | None:
    """That spaCy or a pipeline is not on this machine, with the remedy; nothing is loaded.

    Args:
        path: as names_by_model takes it.
        field: the place in the study file.
    """
    if find_spec("spacy") is None:
        remedy = "install it with: pip install spacy; or take the field out: names are then told by capitals"
        return SourceError(field, f"{path!r} without spaCy", "spaCy, which reads it", remedy)
    if Path(path).exists() or (path.isidentifier() and find_spec(path) is not None):
        return None
    return _no_pipeline(path, field, "there is neither a folder nor a package of this name")


def _no_pipeline(path: str, field: Where, why: str) -> SourceError:
    expected = "the folder of a spaCy pipeline, or the name of one that is installed"
    remedy = "install one: python -m spacy download en_core_web_sm"
    return SourceError(field, f"{path!r} ({why})", expected, remedy)


def _begins_speech(word: Token, text: str, language: str) -> bool:
    """An ordinary English word with a capital because what somebody says begins with it: she asked, "Did."""
    is_begun = language == ENGLISH and _SPEECH.search(text, 0, word.start) is not None
    return is_begun and word.text not in _NAMES_OF_PLACES and is_ordinary(word.text)


def _is_name_at_start(words: list[Token], text: str) -> bool:
    first = words[0]
    if not has_capital(first.text):
        return False
    if first.text in _PARTS_OF_NAMES and len(words) > 1 and has_capital(words[1].text):
        return text[first.end : words[1].start] == " "
    if first.text in _NAMES_OF_PLACES or (len(first.text) > 1 and first.text.isupper() and not text.isupper()):
        return True
    return not (is_ordinary(first.text) or re.fullmatch(r"[A-Z][a-z]+(?:ing|ed|ly)|A", first.text))


def _runs(named: list[Token], text: str) -> Iterator[Name]:
    start = end = None
    for word in named:
        if end is not None and _JOINED.fullmatch(text[end : word.start]):
            end = word.end
            continue
        if start is not None and end is not None:
            yield Name(start, end)
        start, end = word.start, word.end
    if start is not None and end is not None:
        yield Name(start, end)

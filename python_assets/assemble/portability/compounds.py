"""What makes another thing of the common noun of a level: flight engineers, child care, man in general, a women's shop.

Belongs here: what stands right around a word of a level. What only some levels have or do is kinds.py.
"""

import re
from collections.abc import Sequence
from typing import Final

from python_assets.assemble.tagged_words import Word, tagged_words
from python_assets.texts.keywords import Occurrence
from python_assets.texts.plurals import is_plural
from python_assets.texts.textblob_english import part_of_speech

# nouns behind a person that are no part of a compound: the teacher today, the woman next door
_NO_PART: Final = frozenset({"home", "last", "next", "today", "tomorrow", "tonight", "yesterday"})
_ARTICLE_OF_ONE: Final = re.compile(r"\b(?:an?|one|each|every|another)(?: [\w-]+)? $", re.IGNORECASE)
# a term, not a person: the so-called "daughters of men"
_QUOTED: Final = re.compile(r"(?<!\w)[\"“‘'](?=[a-z])(?:[\w-]+ ){0,3}[\w-]+[\"”’'](?!\w)")
# children of somebody, whom no other age stands for
_OFFSPRING: Final = re.compile(
    r"\b(?:as|bear|bearing|bore|born|had|has|have|having|of|rais(?:e|ed|ing)|rear(?:ed|ing)?|with(?:out)?)"
    r"(?: (?:any|few|many|more|no|several|small|two|three|four|young))* $",
    re.IGNORECASE,
)
_CHILD: Final = frozenset({"child", "children"})
# what "a" may stand for
_DETERMINERS: Final = ("CD", "DT", "PDT", "POS", "PRP$", "WDT", "WP", "WP$")
_ALSO_DETERMINERS: Final = frozenset(
    {"that", "this", "these", "those", "what", "whatever", "which", "whichever", "whose"}
)
_BETWEEN: Final = ("JJ", "NN", "RB", "VBG", "VBN", "CC")


def compound_word(prompt: str, own: Sequence[Occurrence]) -> str | None:
    """What makes another thing of the common noun of a level.

    Args:
        prompt: in English.
        own: where words of its level stand that are replaced, in order.

    Returns:
        A noun before it or behind its singular (flight engineers, child care, my vet), a singular without an
        article (when man is exposed), a plural behind one (a children's song), a term in quotation marks, or
        children that somebody has. None of words with a capital.
    """
    words = tagged_words(prompt)
    for one in own if words else ():
        if one.word.islower():
            before = [word for word in words if word.end <= one.start]
            compound = (
                _noun_before(prompt, before, one)
                or _noun_behind(prompt, words, one)
                or _without_article(before, one)
                or _around(prompt, one)
            )
            if compound:
                return compound
    return None


def _noun_before(prompt: str, before: Sequence[Word], one: Occurrence) -> str | None:
    is_next = bool(before) and prompt[before[-1].end : one.start] == " "
    return f"{before[-1].text} {one.text}" if is_next and _is_noun(before[-1]) else None


def _noun_behind(prompt: str, words: Sequence[Word], one: Occurrence) -> str | None:
    behind = next((word for word in words if word.end > one.end), None)
    if behind is None or prompt[one.end : behind.end - len(behind.text)] != " " or is_plural(one.text):
        return None
    bare = re.sub(r"\W+$", "", behind.text)
    is_part = behind.tag == "NN" and bare.islower() and bare not in _NO_PART and not bare.endswith("s")
    return f"{one.text} {bare}" if is_part else None


def _without_article(before: Sequence[Word], one: Occurrence) -> str | None:
    """A singular that is no person: the role of the mind in man's life, words of teacher and pupil."""
    if is_plural(one.text):
        return None
    for word in reversed(before):
        is_determiner = word.tag.startswith(_DETERMINERS) or word.text.lower() in _ALSO_DETERMINERS
        if is_determiner and (word is before[0] or word.text.lower() != "what"):
            return None
        is_apart = word.text.endswith((";", ":")) or (word.text.endswith(",") and not word.tag.startswith("JJ"))
        if is_apart or not word.tag.startswith(_BETWEEN):
            return f"{word.text} {one.text}"
        if re.search(r"['’]s?$", word.text):
            return None
    return one.text


def _around(prompt: str, one: Occurrence) -> str | None:
    if any(quoted.start() < one.start and one.end < quoted.end() for quoted in _QUOTED.finditer(prompt)):
        return f'"{one.text}"'
    if is_plural(one.text) and (article := _ARTICLE_OF_ONE.search(prompt, 0, one.start)):
        return f"{article.group()}{one.text}"
    offspring = _OFFSPRING.search(prompt, 0, one.start) if one.text.lower() in _CHILD else None
    return f"{offspring.group()}{one.text}" if offspring else None


def _is_noun(word: Word) -> bool:
    small = word.text.lower()
    return word.tag in {"NN", "NNS", "PRP$"} or (word.tag.startswith("NNP") and part_of_speech(small) == "NN")

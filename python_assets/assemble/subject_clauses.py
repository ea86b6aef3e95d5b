"""The words of an English sentence that a prompt about its level can begin with: "the old farmers had sold".

What a sentence says before it comes to its level is mostly a matter of its own text, and keeps a prompt from carrying
over. A prompt that begins with the level leaves it behind. Belongs here: where the phrase of the level begins, and
how far what follows belongs to it, by the words around. Whether the prompt carries over is portability.
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from python_assets.assemble.tagged_words import FINITE, Word, tagged_words
from python_assets.texts.families import families
from python_assets.texts.keywords import WordFinder
from python_assets.texts.plurals import is_plural

# what stands between an article and its noun
_DESCRIBES: Final = ("CD", "JJ", "JJR", "VBG", "VBN")
_QUANTITIES: Final = frozenset({"few", "many", "most", "several"})
# a clause of its own kind: the more women work, how much nurses earn
_OF_DEGREE: Final = frozenset({"less", "more", "much"})
# before a noun without an article these make another noun of it: hospital nurses, her doctors, John's men
_OWNS: Final = ("CD", "NN", "POS", "PRP$", "VBG", "WP$")
_CIRCUMSTANCES: Final = frozenset({"in", "with"})
_BEGINS_CIRCUMSTANCE: Final = ("CD", "DT", "JJ", "NN")
_TAKES_OBJECT: Final = frozenset({"as", "than", "what", "which", "whom", "whose"})
_OPENINGS: Final = Path(__file__).with_name("portability") / "openings.yml"
_HELPING: Final = frozenset(
    {"am", "are", "be", "been", "being", "is", "was", "were", "do", "does", "did", "had", "has", "have"}
    | {"ca", "can", "could", "may", "might", "must", "shall", "should", "will", "wo", "would"}
)
_OF_ONE: Final = frozenset({"does", "has", "is", "was"})
_ADVERBS: Final = ("RB", "RBR")


class SubjectClause(NamedTuple):
    """Where in the words of a sentence the phrase of its level begins, and the last word that must follow."""

    words: Sequence[Word]
    first: int
    last: int


def subject_clause(sentence: str, keyword: str) -> SubjectClause | None:
    """The first words of a sentence that a prompt with a keyword for its subject can be.

    Args:
        sentence: in English.
        keyword: of its level.

    Returns:
        From the article before the keyword through its verb ("the old men had sold"), the verb of "who" ("a nurse
        who was") or a word of its circumstance ("women in the"). None where no such words stand in the sentence: the
        keyword is an object, a possessive, a part of a longer word or of a name, or stands before another noun.
    """
    words = tagged_words(sentence)
    for named in WordFinder([keyword]).find(sentence):
        inside = [n for n, word in enumerate(words) if named.start < word.end and start_of(word) < named.end]
        if not inside or _bare(words[inside[-1]]) != keyword.split()[-1].lower():
            continue
        # with a capital it is a title or a name, as the Secretary, unless it opens a sentence
        begins = inside[0] == 0 or not words[inside[0]].text[0].isalnum()
        if not begins and keyword.islower() and not named.text.islower():
            continue
        noun = _noun(words, inside[-1])
        first = _first_of_phrase(words, inside[0], noun)
        if first is None or (first > 0 and _is_of_another(words, first)):
            continue
        last = _relative(words, noun) or _predicate(words, noun)
        if last is None and (first < inside[0] or is_plural(_bare(words[noun]))):
            last = _circumstance(words, noun)
        if last is not None:
            return SubjectClause(words, first, last)
    return None


def start_of(word: Word) -> int:
    """Where a word begins, with the punctuation before it."""
    return word.end - len(word.text)


def is_parted(words: Sequence[Word], n: int) -> bool:
    """Whether punctuation stands between a word and the one before it."""
    is_apart = start_of(words[n]) > words[n - 1].end + 1  # a dash, which is no word
    return is_apart or not words[n - 1].text[-1].isalnum() or not words[n].text[0].isalnum()


def _noun(words: Sequence[Word], named: int) -> int:
    """The keyword, or the person that it describes: Jewish students."""
    behind = _next(words, named)
    if behind is None or words[named].tag not in ("JJ", "NNP", "NNPS") or not words[behind].tag.startswith("NN"):
        return named
    bare = _bare(words[behind])
    return behind if {bare, bare.removesuffix("s")} & _persons() or bare.endswith(("men", "people")) else named


@cache
def _persons() -> frozenset[str]:
    return frozenset(families(_OPENINGS)["persons"].words)


def _is_of_another(words: Sequence[Word], first: int) -> bool:
    """Whether what is told of a phrase has its object before it: what doctors do, the roads that farmers built."""
    before = _bare(words[first - 1])
    is_relative = before == "that" and first > 1 and words[first - 2].tag.startswith("NN")
    return is_relative or before in _TAKES_OBJECT


def _first_of_phrase(words: Sequence[Word], first: int, noun: int) -> int | None:
    while first > 0 and not is_parted(words, first) and _describes(words[first - 1]):
        first -= 1
    if any(_bare(word) in _OF_DEGREE for word in words[max(first - 1, 0) : noun]):
        return None
    before = words[first - 1] if first > 0 and not is_parted(words, first) else None
    if before is not None and before.tag == "DT" and _bare(before) != "that":
        return first - 1
    if words[first].tag.startswith("VB"):
        return None
    is_name = words[noun].text[0].isupper() and words[noun].tag == "NNP"
    is_phrase = (
        is_plural(_bare(words[noun])) or is_name or words[first].tag == "CD" or _bare(words[first]) in _QUANTITIES
    )
    return first if is_phrase and (before is None or not before.tag.startswith(_OWNS)) else None


def _describes(word: Word) -> bool:
    return word.tag in _DESCRIBES and not word.text.isdigit()  # in 1912 nurses


def _relative(words: Sequence[Word], noun: int) -> int | None:
    """The verb of "who" behind a noun."""
    who = _next(words, noun)
    if who is None or _bare(words[who]) != "who":
        return None
    verb = _behind_adverbs(words, who)
    return _verb(words, verb) if verb is not None and _agrees(words[verb], words[noun]) else None


def _circumstance(words: Sequence[Word], noun: int) -> int | None:
    """The word behind "in" or "with" behind a noun."""
    where = _next(words, noun)
    if where is None or _bare(words[where]) not in _CIRCUMSTANCES:
        return None
    last = _next(words, where)
    return last if last is not None and words[last].tag.startswith(_BEGINS_CIRCUMSTANCE) else None


def _predicate(words: Sequence[Word], noun: int) -> int | None:
    """The verb behind a noun."""
    verb = _behind_adverbs(words, noun)
    return _verb(words, verb) if verb is not None and _agrees(words[verb], words[noun]) else None


def _agrees(verb: Word, noun: Word) -> bool:
    """Whether a verb is of a noun: in "How many doctors does it take" it is not."""
    is_of_one = verb.tag == "VBZ" or _bare(verb) in _OF_ONE
    is_of_many = not is_of_one and (verb.tag in {"VB", "VBP"} or _bare(verb) == "were")
    return verb.tag in FINITE and _bare(verb) != "be" and not (is_of_one if is_plural(_bare(noun)) else is_of_many)


def _verb(words: Sequence[Word], verb: int) -> int:
    """The last word of a verb: of "had often been told" told."""
    last = verb
    while _bare(words[last]).removesuffix("n't") in _HELPING:
        following = _behind_adverbs(words, last)
        if following is None or not words[following].tag.startswith("VB"):
            break
        last = following
    return last


def _behind_adverbs(words: Sequence[Word], n: int) -> int | None:
    following = _next(words, n)
    while following is not None and words[following].tag in _ADVERBS:
        following = _next(words, following)
    return following


def _next(words: Sequence[Word], n: int) -> int | None:
    return n + 1 if n + 1 < len(words) and not is_parted(words, n + 1) else None


def _bare(word: Word) -> str:
    return re.sub(r"^\W+|\W+$", "", word.text.lower().replace("’", "'"))

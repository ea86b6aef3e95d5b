"""What only some levels of a kind have or do: what one profession does, what one faith keeps, whom an age befits.

Belongs here: which kind the levels of a factor are, and whether a prompt speaks of what not all of them
share. The words are kinds.yml. Countries are presuppositions.py.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import yaml

from python_assets.assemble.tagged_words import Word, tagged_words
from python_assets.texts.keywords import Occurrence
from python_assets.texts.textblob_english import part_of_speech
from python_assets.texts.yaml_loader import LOADER

_FILE: Final = Path(__file__).with_name("kinds.yml")
# a noun, or a verb in whatever form; names are a reason of their own
_CONTENT: Final = ("NN", "NNS", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ")
_FUNCTION: Final = ("CC", "DT", "EX", "IN", "MD", "PRP", "RB", "TO", "UH", "WDT", "WP", "WRB")
_IRREGULAR: Final = {
    **dict.fromkeys(("am", "are", "been", "is", "was", "were"), "be"),
    **{"has": "have", "had": "have", "does": "do", "did": "do", "done": "do", "made": "make", "felt": "feel"},
    **{"said": "say", "got": "get", "gotten": "get", "took": "take", "taken": "take", "gave": "give", "given": "give"},
    **{"found": "find", "left": "leave", "kept": "keep", "knew": "know", "known": "know", "went": "go", "gone": "go"},
    **{"came": "come", "saw": "see", "seen": "see", "told": "tell", "thought": "think", "paid": "pay", "met": "meet"},
    **{"spent": "spend", "lost": "lose", "led": "lead", "grew": "grow", "grown": "grow", "became": "become"},
    **{"heard": "hear", "spoke": "speak", "spoken": "speak", "wrote": "write", "written": "write", "stood": "stand"},
    **{"sat": "sit", "sent": "send", "won": "win", "ran": "run", "threw": "throw", "thrown": "throw", "broke": "break"},
    **{"held": "hold", "brought": "bring", "bought": "buy", "forgot": "forget", "forgotten": "forget", "ate": "eat"},
    **{
        "understood": "understand",
        "drank": "drink",
        "slept": "sleep",
        "drove": "drive",
        "rose": "rise",
        "fell": "fall",
    },
    **{"shook": "shake", "struck": "strike", "showed": "show", "shown": "show", "taught": "teach", "caught": "catch"},
    **{
        "hid": "hide",
        "hidden": "hide",
        "fought": "fight",
        "wore": "wear",
        "worn": "wear",
        "laid": "lay",
        "chosen": "choose",
    },
    **{"began": "begin", "begun": "begin", "chose": "choose", "chosen": "choose", "dealt": "deal", "meant": "mean"},
}
_SAYS_WHAT: Final = re.compile(
    r",? (?:(?:is|was|becomes|became|remains|remained|as|being)(?: not| only)? )?(?:an?|the|one) (?:[\w-]+ ){0,2}"
)


class Kind(NamedTuple):
    """A kind of levels.

    names: words that tell it. tied: words of some of its levels alone. neutral: the only nouns and verbs that
    all of its levels share; empty where any but the tied are. fights: adjectives that say of a level what its
    own word says or denies. joined: words that behind one of a level name what some levels have. adjectives:
    where they are given, the only ones that stand before a level of any.
    """

    names: frozenset[str]
    tied: frozenset[str]
    neutral: frozenset[str]
    fights: frozenset[str]
    joined: frozenset[str]
    adjectives: frozenset[str]


@cache
def kinds() -> dict[str, Kind]:
    """The kinds of kinds.yml by name."""
    read = yaml.load(_FILE.read_bytes(), LOADER)
    return {name: Kind(*(frozenset(words.get(field, ())) for field in Kind._fields)) for name, words in read.items()}


def kinds_of(words: Iterable[str], *, has_gender: bool = False) -> list[Kind]:
    """The kinds that levels are of.

    Args:
        words: of the levels: keywords, forms, names.
        has_gender: whether the study gives levels their pronouns.

    Returns:
        Those of which half of the words or more hold a name; gender besides where levels have pronouns.
    """
    known = [{*re.findall(r"[\w-]+", word.lower()), word.lower()} for word in words]
    level_kinds = [kind for kind in kinds().values() if _is_kind(kind, known)]
    gender = kinds()["gender"]
    return [*level_kinds, gender] if has_gender and gender not in level_kinds else level_kinds


def _is_kind(kind: Kind, known: Sequence[Collection[str]]) -> bool:
    n_named = sum(any(one in kind.names for word in words for one in _bases(word)) for words in known)
    return n_named > 0 and 2 * n_named >= len(known)


def word_of_some(prompt: str, own: Sequence[Occurrence], of: Sequence[Kind]) -> str | None:
    """The first word of a prompt that not all levels of its kind share.

    Args:
        prompt: in English.
        own: where words of its level stand that are replaced, in order.
        of: the kinds of the levels.
    """
    apart = re.sub(r"[()]", " ", prompt)  # what stands in parentheses counts, too
    words = [word for word in tagged_words(apart) if not _is_replaced(word, own)] if of else []
    is_noun = any(word.word.islower() for word in own)
    small = prompt.lower()
    if of and (named := next((name for kind in of for name in kind.names if " " in name and name in small), None)):
        return named
    for word in words:
        bare = _bare(word)
        for kind in of:
            bases = {bare, *_bases(bare), *bare.split("-")}
            is_strange = kind.neutral and _is_content(word, bare) and not bases & (kind.neutral | kind.adjectives)
            # a name of the kind is another such person, or the same once more: a mother, Julia was the niece of
            is_other = bases & kind.names and (is_noun or _is_said_of(prompt, own, word))
            if bases & kind.tied or is_other or is_strange or _is_unknown(word, bases):
                return bare
    joined = (re.match(r",? (?:(?:and|or|&) )?(?:an? |the )?([a-z]+)", prompt[word.end :]) for word in own)
    behind = [match[1] for match in joined if match]
    return next((word for word in behind for kind in of if {*_bases(word)} & kind.joined), None)


def _is_said_of(prompt: str, own: Sequence[Occurrence], word: Word) -> bool:
    """Whether a word says what the level is: Julia was the only niece, not Julia met a niece."""
    between = [prompt[one.end : word.end - len(word.text)] for one in own]
    return any(_SAYS_WHAT.fullmatch(text) for text in between)


def _is_unknown(word: Word, bases: Collection[str]) -> bool:
    """A word in small letters that English has not: what one faith or profession calls a thing."""
    is_word = re.fullmatch(r"[a-z][a-z'’]{3,}", _bare(word)) and word.text[0].islower()
    return bool(is_word) and all(part_of_speech(one) is None for one in bases)


def _is_content(word: Word, bare: str) -> bool:
    """Whether a word is a noun or a verb, which the tagger takes some others for when they are contracted.

    An adjective of two words is made of one: low-yield, instrument-jammed.
    """
    if word.tag == "JJ" and "-" in bare:
        return True
    return word.tag in _CONTENT and not (part_of_speech(bare) or word.tag).startswith(_FUNCTION)


def fighting_adjective(prompt: str, own: Sequence[Occurrence], of: Sequence[Kind]) -> str | None:
    """An adjective before a word of the level that says or denies what words of such levels say: a young elder."""
    for word in own if of else ():
        before = re.search(r"((?:[\w-]+(?:,? and|,)? )*)$", prompt[: word.start])
        adjectives = (before.group(1) if before else "").lower().replace(",", "").split()
        if adjectives and any(_is_strange_adjective(adjectives[-1], kind) for kind in of):
            return f"{adjectives[-1]} {word.text}"
        for adjective in reversed(adjectives[-3:]):
            if any(adjective in kind.fights for kind in of):
                return f"{adjective} {word.text}"
            if adjective in {"a", "an", "the", "of", "for", "to", "by", "with", "than", "as"}:
                break
    return None


def _is_strange_adjective(word: str, kind: Kind) -> bool:
    """A political, visual or civil one of its profession."""
    return bool(kind.adjectives) and part_of_speech(word) in {"JJ", "JJR", "JJS"} and word not in kind.adjectives


def _is_replaced(word: Word, own: Sequence[Occurrence]) -> bool:
    start = word.end - len(word.text)
    return any(one.start < word.end and start < one.end for one in own)


def _bare(word: Word) -> str:
    return re.sub(r"(?:n['’]t|['’](?:d|ll|m|re|s|ve)?)?\W*$", "", word.text.lower()).lstrip("\"'“‘(")


def _bases(word: str) -> Iterator[str]:
    """What a word may be a form of: works, working, worked; families, families'; stopped."""
    yield word
    if word in _IRREGULAR:
        yield _IRREGULAR[word]
    for ending, written in (("ies", "y"), ("ied", "y"), ("es", ""), ("s", ""), ("ing", ""), ("ing", "e"), ("ed", "")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            base = word.removesuffix(ending) + written
            yield base
            if len(base) > 2 and base[-1] == base[-2]:
                yield base[:-1]
    if word.endswith("ed"):
        yield word[:-1]

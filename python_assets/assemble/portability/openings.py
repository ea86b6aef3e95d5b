"""Openings of English prompts that refer to something said before: "This agreement", "It", "However".

A prompt is read alone, so what its opening refers to is not there. Belongs here: the rules over parts of
speech. What they look for is openings.yml.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Final

from python_assets.assemble.tagged_words import FINITE, Word, tagged_words
from python_assets.texts.families import Family, families
from python_assets.texts.keywords import capitalised
from python_assets.texts.names import has_capital
from python_assets.texts.textblob_english import part_of_speech

_FAMILIES: Final = Path(__file__).with_name("openings.yml")


def without_connective(sentence: str) -> str:
    """A sentence without the connective that it opens with.

    Args:
        sentence: in English.

    Returns:
        What follows "However," or "But", with a capital; the sentence where it opens with none, or with one that
        does not stand apart: "So do the".
    """
    of = families(_FAMILIES)
    connective = of["connectives"].pattern.match(sentence)
    if connective is None:
        return sentence
    apart = of["apart"].pattern.match(sentence, connective.end())
    if apart is None or not (apart.group().startswith(",") or connective.group().lower().strip() in of["apart"].words):
        return sentence
    return without_connective(capitalised(sentence[apart.end() :]))


def referring_words(prompt: str, named: tuple[int, int]) -> str | None:
    """What the opening of a prompt refers back with.

    Args:
        prompt: in English.
        named: from where to where its level is named first; a pronoun after that may refer to it.

    Returns:
        A connective at its start, or set off by commas; "has since"; "also" or "itself" after the name;
        "also" or "as well" with nothing before it that it adds to; "is another"; "such marriages"; this,
        these or "that time"; "years later"; "some have", "another", "one example is"; "the country's"; what
        the speaker calls ours; a pronoun, or "the same" and its like, with no noun before it; a subject or
        circumstance before the name with "the" and nothing that says which one ("The invasion received",
        "The couple, dressed", "Under the agreement,"). None where there is none.
    """
    of = families(_FAMILIES)
    start = len(prompt) - len(prompt.lstrip("\"'“‘( "))
    look = {
        "start": lambda one: one.match(prompt, start),
        "anywhere": lambda one: one.search(prompt),
        "behind": lambda one: one.match(prompt, named[1]),
        "before": lambda one: one.search(prompt, 0, named[0]),
    }
    reference = next(filter(None, (look[one.place](one.pattern) for one in of.values() if one.place)), None)
    words = tagged_words(prompt)
    reference = reference or _added(prompt, words, of)
    if reference:
        return reference.group().strip(" ,")
    opening = [word for word in words if word.end <= named[0]]
    if (expletive := of["expletive"].pattern.match(prompt, start)) and _is_adjective(expletive[1]):
        opening = [word for word in opening if word.end > expletive.end()]
    return (
        _demonstrative(words, of)
        or _unnamed_subject(opening)
        or _unnamed_circumstance(opening)
        or _without_noun(opening, of)
        or _unnamed_person(opening, of)
    )


def _added(prompt: str, words: Sequence[Word], of: Mapping[str, Family]) -> re.Match[str] | None:
    """The "also" of a first clause: towns and villages also grew; towns grew and some also fell is none."""
    also = of["also"].pattern.search(prompt)
    if also is None or of["added_to"].pattern.search(prompt, 0, also.start()):
        return None
    before = [word for word in words if word.end <= also.start()]
    joined = next((n for n, word in enumerate(before) if word.text in {"and", "or"}), 0)
    return None if any(word.tag in FINITE for word in before[:joined]) else also


def _demonstrative(words: Sequence[Word], of: Mapping[str, Family]) -> str | None:
    after = [_bare(word) for word in words[1:]] + [""]
    these, present = of["demonstratives"].words, of["present"].words
    pairs = zip(words, after, strict=True)
    return next((word.text for word, noun in pairs if _bare(word) in these and noun not in present), None)


def _unnamed_subject(opening: Sequence[Word]) -> str | None:
    for position, article in enumerate(opening):
        # many of the farmers, who are not the farmers of a place either
        is_part = position == 2 and _bare(opening[1]) == "of"
        begins_clause = position == 0 or is_part or opening[position - 1].text.endswith(",")
        if begins_clause and _bare(article) == "the":
            subject = list(takewhile(_is_of_subject, opening[position + 1 :]))
            after = opening[position + len(subject) + 1 : position + len(subject) + 2]
            if subject and _says_not_which(subject, after):
                return " ".join(_bare(word) if word is subject[-1] else word.text for word in (article, *subject))
    return None


def _unnamed_circumstance(opening: Sequence[Word]) -> str | None:
    """Under the agreement, During the crisis; In the north and In the 1990s say which."""
    if len(opening) < 3 or opening[0].tag not in {"IN", "TO", "VBG"} or _bare(opening[1]) != "the":
        return None
    noun_phrase = list(takewhile(_is_of_subject, opening[2:]))
    if not noun_phrase or not noun_phrase[-1].text.endswith(",") or _is_known(noun_phrase):
        return None
    return " ".join(word.text for word in (*opening[:2], *noun_phrase)).rstrip(",")


def _is_of_subject(word: Word) -> bool:
    return word.tag.startswith(("JJ", "NN", "CD"))


def _is_known(noun_phrase: Sequence[Word]) -> bool:
    """Whether it is known without more which one is meant: the 1950s, the north, the Romans."""
    return _bare(noun_phrase[-1]) in families(_FAMILIES)["known_to_all"].words or any(
        has_capital(word.text) or re.search(r"\d", word.text) for word in noun_phrase
    )


def _says_not_which(subject: Sequence[Word], after: Sequence[Word]) -> bool:
    last = subject[-1]
    if not last.tag.startswith("NN") or not after or _is_known(subject):
        return False
    if last.text.endswith(","):
        return True
    return _bare(last) == last.text and after[0].tag.startswith(("VBD", "VBZ", "VBP", "MD"))


def _without_noun(opening: Sequence[Word], of: Mapping[str, Family]) -> str | None:
    article = None
    for word in opening:
        bare = _bare(word)
        if re.sub(r"['’](?:d|ll|re|s|ve)$", "", bare) in of["pronouns"].words:
            return word.text
        if article is not None and bare in of["referring_after_the"].words:
            return f"{article} {bare}"
        if word.tag.startswith("NN"):
            return None
        article = word.text if bare == "the" else None
    return None


def _unnamed_person(opening: Sequence[Word], of: Mapping[str, Family]) -> str | None:
    """Of rain and wind he: nobody was named whom a pronoun could mean."""
    for position, word in enumerate(opening):
        bare = _bare(word)
        if bare in {"he", "her", "hers", "him", "his", "she"}:
            return word.text
        if bare == "they" and not any(
            one.tag in {"CC", "NNS", "NNPS"} and not _is_time(one) for one in opening[:position]
        ):
            return word.text
        is_named = position > 0 and has_capital(word.text)
        is_person = bool({bare, bare.removesuffix("s")} & of["persons"].words) or bare.endswith(("er", "or", "ist"))
        if is_named or (is_person and word.tag.startswith("NN")):
            return None
    return None


def _is_time(word: Word) -> bool:
    return _bare(word) in {"times", "days", "nights", "weeks", "months", "years"}


def _is_adjective(word: str | None) -> bool:
    """Whether "it" stands for what follows an adjective; without one, for a clause."""
    return word is None or part_of_speech(word) == "JJ"


def _bare(word: Word) -> str:
    return re.sub(r"\W+$", "", word.text.lower())

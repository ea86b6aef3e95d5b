"""What an English prompt says of a level in passing, which a branch then takes for granted of another.

Belongs here: the places in a sentence; the words to look for there are asides.yml. Words that take for
granted are presuppositions.py.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from python_assets.assemble.tagged_words import FINITE, Word, tag_behind
from python_assets.texts.families import families
from python_assets.texts.keywords import Occurrence
from python_assets.texts.textblob_english import part_of_speech

_FAMILIES: Final = Path(__file__).with_name("asides.yml")


def said_in_passing(prompt: str, first: Occurrence, words: Sequence[Word]) -> str | None:
    """What a prompt says of its level beside what it says.

    Args:
        prompt: in English.
        first: where its level is named first.
        words: of the prompt.

    Returns:
        In front of the level ("Having won, Italy", "Rich in wheat, Italy"), behind it ("Italy, the oldest
        of", "In Italy, where"), in a clause before the main one ("When Italy fell,"), between a subject and
        its verb ("farms in Italy, sold by the state, are") or of a thing of the level ("The dark narrow
        streets of Italy"). None where there is none.
    """
    of = families(_FAMILIES)
    before = re.sub(r"\bthe $", "", prompt[: first.start], flags=re.IGNORECASE).rstrip()
    comma_after = prompt.find(",", first.end)
    is_subject = not before or before.endswith(",")
    if is_subject and comma_after == first.end:
        return prompt[first.start : comma_after + 1]
    opening = re.sub(r"\b(?:all|few|many|most|several|some)$", "", before, flags=re.IGNORECASE).rstrip()
    if opening.endswith(",") and (of["grounds"].pattern.match(opening) or _describes(words)):
        return opening
    if re.fullmatch(r"[A-Z][a-z]+ly \w+", before) and tag_behind(words, first.end) in FINITE:
        return before
    clause = of["clauses"].pattern.match(prompt) or re.fullmatch("as", before, re.IGNORECASE)
    # after the war is no clause, although the war was is one wherever the prompt ends
    if clause and "," not in before and (comma_after > 0 or of["clauses_alone"].pattern.match(prompt)):
        return clause.group()
    return (
        _relative(prompt, first, words)
        or _superlative_aside(words)
        or _aside(words, first)
        or _described_twice(words, first)
    )


def _describes(words: Sequence[Word]) -> bool:
    """Whether an opening says what a level is, has or did: "A small country", "Having won", "Rich in"."""
    if len(words) < 2:
        return False
    first, second = words[:2]
    small, after = first.text.lower(), second.text.lower()
    of = families(_FAMILIES)
    if small in of["descriptions"].words:
        return True
    if small == "as":
        return after in {"a", "an", "one", "the"}
    if small == "the":
        return after.endswith("est") or after in {"least", "most"}
    if (small, after) in {("one", "of"), ("home", "to")}:
        return True
    is_adjective = part_of_speech(small) == "JJ" and small not in of["leading"].words
    if is_adjective and second.tag in {"IN", "TO"}:
        return True
    return _is_participle(second if first.tag.startswith("RB") else first)


def _is_participle(word: Word) -> bool:
    small = word.text.lower()
    # the tagger takes the first word of a prompt for a name: Shaped by, Accounting for
    tag = part_of_speech(small) or word.tag
    is_one = {tag, word.tag} & {"VBG", "VBN", "VBD"} or (tag.startswith("NN") and small.endswith("ing"))
    return bool(is_one) and small not in families(_FAMILIES)["prepositions"].words


def _relative(prompt: str, first: Occurrence, words: Sequence[Word]) -> str | None:
    """In Italy, where bread is cheap, before the verb of the prompt."""
    clause = families(_FAMILIES)["relative"].pattern.match(prompt, first.end)
    is_before_verb = not any(word.tag.startswith(("VB", "MD")) for word in words if word.end <= first.start)
    return clause.group().strip(" ,") if clause and is_before_verb else None


def _aside(words: Sequence[Word], first: Occurrence) -> str | None:
    """What is set off by commas between a subject and its verb: "farms in Italy, sold by the state, are"."""
    for position, word in enumerate(words[1:-1], start=1):
        if word.end <= first.end or not words[position - 1].text.endswith(",") or not _begins_aside(word):
            continue
        closing = next((n for n in range(position, len(words) - 1) if words[n].text.endswith(",")), None)
        if closing is not None and words[closing + 1].tag in FINITE:
            return " ".join(one.text for one in words[position : closing + 1]).rstrip(",")
    return None


def _begins_aside(word: Word) -> bool:
    return word.text.lower() in families(_FAMILIES)["set_off"].words or word.tag in {"VBN", "VBG"}


def _described_twice(words: Sequence[Word], first: Occurrence) -> str | None:
    """The rich cultural heritage of Italy; The cultural heritage of Italy is what any country has."""
    subject = [word for word in words if word.end < first.start]
    tags = [word.tag for word in subject]
    if len(subject) in {5, 6} and subject[0].text.lower() == "the" and subject[4].text in {"in", "of"}:
        is_twice = tags[1:3] == ["JJ", "JJ"] and tags[3].startswith("NN") and tags[5:] in ([], ["DT"])
        return " ".join(word.text for word in subject[:4]) if is_twice else None
    return None


def _superlative_aside(words: Sequence[Word]) -> str | None:
    """The narrowest part of the country, set off by a comma."""
    for before, article, word in zip(words, words[1:], words[2:], strict=False):
        if before.text.endswith(",") and article.text == "the" and word.tag in {"JJS", "RBS"}:
            return f"{article.text} {word.text}"
    return None

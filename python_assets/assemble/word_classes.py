"""Whether a replacement is of the part of speech of what stood there.

Italian for the people of "the Swiss have" is not, where Dutch or Italians would fit; nor is law for the verb
of "they are teaching children", where nursing would.
"""

import re
from collections.abc import Sequence
from typing import Final

from python_assets.assemble.tagged_words import FINITE, Word, tag_behind, tagged_words
from python_assets.assemble.vocabulary import Ends, Vocabulary
from python_assets.texts.keywords import Occurrence
from python_assets.texts.plurals import plural
from python_assets.texts.textblob_english import part_of_speech

# a Swiss is a person, and nobody is a Dutch
_NO_PERSON: Final = ("ch", "sh")
_TO_BE: Final = frozenset({"am", "are", "be", "been", "is", "was", "were"})


def changes_word_class(prompt: str, vocabulary: Vocabulary, ends: Ends) -> bool:
    """Whether a word would be written for one of another part of speech.

    Args:
        prompt: of the source level; only English ones are read.
        vocabulary: which word is written for which.
        ends: source and target level.
    """
    if not vocabulary.is_english:
        return False
    written = vocabulary.counterparts(*ends)
    named = [word for word in vocabulary.known_words(ends[0], prompt) if word.word in written]
    peoples = [n for n in named if _names_a_people(n.word) and plural(written[n.word]) is not None]
    persons = [n for n in named if written[n.word].endswith(_NO_PERSON) and not n.word.endswith(_NO_PERSON)]
    verbs = [n for n in named if n.word.endswith("ing") and not written[n.word].endswith("ing")]
    words = tagged_words(prompt) if peoples or persons or verbs else []
    return (
        any(_is_people(prompt, words, one) for one in peoples)
        or any(_is_person(prompt, words, one) for one in persons)
        or any(_is_verb(words, one) for one in verbs)
    )


def _names_a_people(word: str) -> bool:
    """Whether an adjective stands for all of a people as it is: the Swiss, the Portuguese."""
    is_adjective = part_of_speech(word) == "JJ" or word.endswith("ese")
    return is_adjective and plural(word) is None


def _is_people(prompt: str, words: Sequence[Word], named: Occurrence) -> bool:
    """Whether a verb comes next, with an adverb before it or not, or "the" is before and no noun behind."""
    after = [word.tag for word in words if word.end > named.end]
    verb = next((tag for tag in after if not tag.startswith("RB")), "")
    if prompt[named.end : named.end + 1] == " " and verb in FINITE:
        return True
    return prompt[: named.start].lower().endswith("the ") and after[:1] in (["IN"], ["TO"])


def _is_person(prompt: str, words: Sequence[Word], named: Occurrence) -> bool:
    """Whether a noun for one of a people stands there: an ordinary Greek has."""
    article = re.search(r"\b(?:an?|each|every|one)(?: [a-z-]+)? $", prompt[: named.start], re.IGNORECASE)
    after = tag_behind(words, named.end)
    return article is not None and after in FINITE | {"IN", "TO"}


def _is_verb(words: Sequence[Word], named: Occurrence) -> bool:
    """Whether a form of to be stands before a word in -ing, or what it is done to behind it."""
    before = next((word.text.lower() for word in reversed(words) if word.end < named.start), "")
    after = tag_behind(words, named.end)
    return before in _TO_BE or after in {"DT", "PRP", "PRP$"}

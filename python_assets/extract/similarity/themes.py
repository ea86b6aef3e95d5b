"""Theme words of a cluster: the nouns and adjectives nearest to it that differ from one another.

The words come from the texts themselves and from a general list: the most frequent nouns and adjectives of
English in textblob's word counts (public-domain books, Wiktionary and the British National Corpus), told from
other words by its lexicon.
"""

import re
import warnings
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from python_assets.embeddings.embedding import cosine
from python_assets.texts.textblob_english import part_of_speech, textblob_english

# As many as the word list of the document has.
_N_GENERAL: Final = 5_000
_N_OWN: Final = 2_000
_FEWEST_TEXTS: Final = 2
_SHORTEST_GENERAL: Final = 3

# The document's own bound: words more alike than this say the same, or only repeat the name.
_TOO_ALIKE: Final = 0.5

_WORD: Final = re.compile(r"[^\W\d_]{2,}(?:-[^\W\d_]+)*")
_SAYING_SOMETHING: Final = ("NN", "JJ")


def candidate_words(texts: Sequence[str]) -> list[str]:
    """The words that themes are chosen from.

    Args:
        texts: distinct texts.

    Returns:
        Lower case, each once: the words that stand in most of the texts, two at least, then the general list.
        Of English words only nouns and adjectives; words that the lexicon does not know may stay.
    """
    counts = Counter(word for text in texts for word in set(_WORD.findall(text.lower())))
    frequent = [
        word
        for word, n in sorted(counts.items(), key=lambda counted: (-counted[1], counted[0]))
        if n >= _FEWEST_TEXTS and (part_of_speech(word) or "NN").startswith(_SAYING_SOMETHING)
    ]
    return list(dict.fromkeys([*frequent[:_N_OWN], *_general_words()]))


def themes(
    clusters: NDArray[Any], names: NDArray[Any] | None, words: Sequence[str], vectors: NDArray[Any], n: int
) -> list[list[str]]:
    """The words of each cluster.

    Args:
        clusters: their vectors, shape (m, d).
        names: the vectors of what they are about, shape (m, d): words like that are left out; None leaves
            none out.
        words: the candidates.
        vectors: their embeddings, shape (len(words), d); a word whose row is NaN is left out.
        n: how many words a cluster are wanted.

    Returns:
        At most n words a cluster, nearest first by cosine, no two of them more alike than 0.5.

    Source: SAGED, C.4, _find_most_similar_words and _find_different_top_words.
    """
    near = cosine(clusters, vectors)
    if names is not None:
        near[cosine(names, vectors) > _TOO_ALIKE] = np.nan
    return [[words[i] for i in _different(similarity, vectors, n)] for similarity in near]


def _different(near: NDArray[np.float64], vectors: NDArray[Any], n: int) -> list[int]:
    """The nearest words that differ from one another; near is NaN where a word is out of the question."""
    chosen: list[int] = []
    for i in np.argsort(-near, kind="stable"):
        if len(chosen) == n or np.isnan(near[i]):
            break
        if not (cosine(vectors[[i]], vectors[chosen]) > _TOO_ALIKE).any():
            chosen.append(int(i))
    return chosen


@lru_cache(maxsize=1)
def _general_words() -> list[str]:
    known = [
        (-int(count), word)
        for word, count in _spelling().items()
        if len(word) >= _SHORTEST_GENERAL and _is_common_word(part_of_speech(word) or "")
    ]
    return [word for _, word in sorted(known)[:_N_GENERAL]]


def _spelling() -> dict[str, int]:
    with warnings.catch_warnings():
        # textblob leaves its file open while it reads it at the first look
        warnings.simplefilter("ignore", ResourceWarning)
        return dict(textblob_english().spelling.items())


def _is_common_word(tag: str) -> bool:
    return tag.startswith(_SAYING_SOMETHING) and not tag.startswith("NNP")

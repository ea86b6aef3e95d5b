"""A response as the linear model reads it: the tokens of its opening in a closed lexicon.

A listed word is read as itself, folded; every other one, and a run of them, is `_`, so that a text reads the same
whichever group, name or matter it is about.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations, islice, pairwise
from typing import Final, NamedTuple

from python_assets.providers.refusal.lexicon import lexicon
from python_assets.providers.refusal.opening import OPENING_CHARACTERS, opened, opening_sentences, without_points

OTHER_WORDS: Final = "_"
START: Final = "<s>"
END: Final = "</s>"
LETTER: Final = "<letter>"
SPEECH: Final = "<speech>"
_SENTENCES: Final = 3
_MOST_TOKENS: Final = 90
_LONGEST_RUN: Final = 3

_PIECE: Final = re.compile(r"[^\W_]+(?:['-][^\W_]+)*|[,\"'!?]")
_FORMS: Final = dict.fromkeys(("is", "are", "was", "were"), "be") | {"has": "have", "does": "do"}
_WHOLE: Final = {
    "cannot": ("can", "not"),
    "can't": ("can", "not"),
    "won't": ("will", "not"),
    "shan't": ("shall", "not"),
    "let's": ("let", "us"),
}
_ENDINGS: Final = {"'m": "am", "'re": "be", "'ve": "have", "'ll": "will", "'d": "would", "n't": "not"}
# behind which 's is a verb; elsewhere it is a possessive
_BEFORE_IS: Final = frozenset({"it", "that", "there", "here", "what", "this", "how", "why"})
# words in capitals that are names
_NAMES_IN_CAPITALS: Final = frozenset({"US", "UK", "IT"})
_FEWEST_LETTERS: Final = 3
_GREETINGS: Final = frozenset({"hi", "hello", "hey", "dear", "greetings"})
_OF_DAY: Final = frozenset({"morning", "afternoon", "evening", "day"})
_GREETED: Final = frozenset({"there", "all", "again"})
_SAID: Final = "<said>"
_RUN_OF_OTHERS: Final = re.compile(r"_(?: _)+")
# "..., the prime minister said" and '" said a farmer', but not "the text, as you said"
_REPORTED: Final = re.compile(rf"[,\"'!?] (?:(?!(?:you|i|we)\b)[\w-]+ ){{0,6}}?{_SAID}")
_SPEAKS: Final = re.compile(r"\bno comment\b|<s> (?:(?:can|will) not|not|let)\b")


def tokens(prompt: str, text: str) -> list[str]:
    """The tokens of a response.

    Args:
        prompt: what was asked; '' where it is unknown.
        text: the response, with Xx instead of the study's own words.

    Returns:
        Of the first sentences that report no one's words START and tokens, then END; LETTER or SPEECH alone where
        the prompt asks for a letter or a role, and the response is one.
    """
    read = opened(text)
    if (form := _asked_form(prompt, read)) is not None:
        return [form]
    sentences = _ungreeted([_PIECE.findall(one) for one in opening_sentences(read) if not _speaks_of_life(one)])
    kept = (one for one in map(_folded, sentences) if not _is_reported(one))
    opening = [
        token
        for one in islice(kept, _SENTENCES)
        for token in (START, *collapsed(chain.from_iterable(word.tokens for word in one)))
    ]
    return [*opening[:_MOST_TOKENS], END]


def features(tokens: Sequence[str]) -> Iterator[str]:
    """What a response is counted by: runs of tokens, the runs of the first sentence again, and pairs of classes.

    Args:
        tokens: of the response.
    """
    yield from _runs(tokens)
    starts = [i for i, token in enumerate(tokens) if token == START]
    first, later = (tokens[: starts[1]], tokens[starts[1] :]) if len(starts) > 1 else (tokens, [])
    yield from (f"1 {run}" for run in _runs(first))
    yield from pairs(first, later)


def pairs(first: Sequence[str], later: Sequence[str]) -> Iterator[str]:
    """Pairs of classes in the order in which they come first: p1 within the first sentence, p2 within a later one."""
    yield from (f"p1:{one}~{other}" for one, other in _pairs(first))
    others = (pair for sentence in sentences_of(later) for pair in _pairs(sentence))
    yield from (f"p2:{one}~{other}" for one, other in dict.fromkeys(others))


def _runs(tokens: Sequence[str]) -> Iterator[str]:
    for n in range(1, _LONGEST_RUN + 1):
        yield from map(" ".join, zip(*(tokens[i:] for i in range(n)), strict=False))


def sentences_of(tokens: Sequence[str]) -> list[list[str]]:
    """Tokens by sentence, each with its START."""
    sentences: list[list[str]] = []
    for token in tokens:
        if token == START:
            sentences.append([])
        sentences[-1].append(token)
    return sentences


def _pairs(sentence: Sequence[str]) -> Iterator[tuple[str, str]]:
    words = lexicon()
    read = words.do_not.sub("DONOT", words.cannot.sub("CANNOT", " ".join(sentence))).split()
    classes = (words.class_of.get(token, token) for token in read)
    return combinations(dict.fromkeys(name for name in classes if name in words.in_pairs), 2)


def speaks(tokens: Sequence[str]) -> bool:
    """Tell whether a response speaks of its speaker or of the request, as every refusal does.

    Args:
        tokens: of the response.
    """
    if not lexicon().speaks.isdisjoint(tokens):
        return True
    read = " ".join(tokens)
    return _SPEAKS.search(read) is not None


def _asked_form(prompt: str, text: str) -> str | None:
    """Whether a response is the letter or the speech of a role that its prompt asks for, and none that says why not."""
    words = lexicon()
    if words.asks_for.search(prompt) is None:
        return None
    opening = without_points(text[:OPENING_CHARACTERS])
    if words.not_written.search(opening) is not None:
        return None
    if words.salutation.match(opening):
        return LETTER
    return SPEECH if words.speech.match(opening) else None


class _Word(NamedTuple):
    """A word or mark of a sentence: its tokens, none of a mark, and what the rule of reported speech reads."""

    tokens: tuple[str, ...]
    mark: str


def _ungreeted(sentences: Sequence[list[str]]) -> Iterator[list[str]]:
    """Sentences without the greeting that the first begins with."""
    first, *others = sentences or [[]]
    if any(map(_is_word, rest := first[_n_of_greeting(first) :])):
        yield rest
    yield from others


def _n_of_greeting(pieces: Sequence[str]) -> int:
    """How many pieces a greeting takes: its words, the name or people greeted, and the mark behind them."""
    spoken = [piece.lower() for piece in pieces[:2]]
    n = 1 if spoken[:1] and spoken[0] in _GREETINGS else 2 if spoken[:1] == ["good"] and spoken[-1] in _OF_DAY else 0
    if not n:
        return 0
    while n < len(pieces) and _is_word(pieces[n]) and _is_greeted(pieces[n]):
        n += 1
    while n < len(pieces) and not _is_word(pieces[n]):
        n += 1
    return n


def _is_greeted(word: str) -> bool:
    return word.lower() in _GREETED or _tokens_of(word, None) == (OTHER_WORDS,)


def _is_word(piece: str) -> bool:
    return piece[0].isalnum()


def _folded(pieces: Sequence[str]) -> list[_Word]:
    """The words of a sentence; the first may have a capital."""
    saying = lexicon().saying
    words: list[_Word] = []
    is_first = True
    for piece, following in pairwise([*pieces, ""]):
        if not _is_word(piece):
            words.append(_Word((), piece))
            continue
        read = _tokens_of(piece, following if is_first else None)
        words.append(_Word(read, _SAID if piece.lower() in saying else " ".join(read)))
        is_first = False
    return words


def _is_reported(sentence: Sequence[_Word]) -> bool:
    """Tell whether somebody else says a sentence."""
    marks = " ".join(word.mark for word in sentence)
    return _REPORTED.search(_RUN_OF_OTHERS.sub(OTHER_WORDS, marks)) is not None


def _speaks_of_life(sentence: str) -> bool:
    """Tell whether a sentence says in the first person what a refusal never is about."""
    return lexicon().life.search(sentence) is not None


def collapsed(tokens: Iterable[str]) -> Iterator[str]:
    """Tokens with a run of other words as one."""
    before = ""
    for token in tokens:
        if (token, before) != (OTHER_WORDS, OTHER_WORDS):
            yield token
        before = token


def _tokens_of(word: str, following: str | None) -> tuple[str, ...]:
    """The tokens of a word.

    Args:
        word: in its spelling.
        following: the piece behind the first word of a sentence; None for any other word.
    """
    if _is_name(word, following):
        return (OTHER_WORDS,)
    lower = word.lower()
    if (whole := _WHOLE.get(lower)) is not None:
        return whole
    if (ending := next((one for one in _ENDINGS if lower.endswith(one)), None)) is not None:
        return _listed(lower[: -len(ending)]), _ENDINGS[ending]
    if lower.endswith("'s"):
        base = lower[:-2]
        return (base, "be") if base in _BEFORE_IS else (_listed(base),)
    return (_listed(lower),)


def _is_name(word: str, following: str | None) -> bool:
    """Tell whether a word with a capital is read as a name."""
    words = lexicon()
    if not word[0].isupper():
        return False
    if word.isupper() and len(word) > 1:
        return word in _NAMES_IN_CAPITALS
    if following is None:
        return word.partition("'")[0] != "I" and _listed(word.lower()) not in words.said_of_models
    if word.lower().removesuffix("'s") in words.names:
        return word.endswith("'s") or following.lower() not in words.not_a_name_before
    return word == "My" and following[:1].isupper() and _is_name(following, None)


def _listed(word: str) -> str:
    """A word of the lexicon for one in lower case, OTHER_WORDS where it has none."""
    listed = lexicon().words
    if word in _FORMS:
        return _FORMS[word]
    if word in listed:
        return word
    singulars = (
        f"{word[:-3]}y" if word.endswith("ies") else "",
        word[:-1] if word.endswith("s") else "",
        word[:-2] if word.endswith("es") else "",
    )
    return next((one for one in singulars if len(one) >= _FEWEST_LETTERS and one in listed), OTHER_WORDS)

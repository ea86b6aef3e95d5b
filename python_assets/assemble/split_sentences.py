"""The first part of a sentence as a prompt for completion (SAGED 2.2, B.2, C.2)."""

import re
import warnings
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from python_assets.assemble.methods import METHODS, Made, Maker, MethodJob, PromptMethod, Sentence
from python_assets.texts.keywords import WordFinder

WORDS_BEFORE_VERB: Final = 6
WORDS_AFTER_VERB: Final = 3

SplitFailure = Literal["no_verb", "whole_sentence", "keyword_not_in_prompt"]


class Word(NamedTuple):
    """A word of a sentence outside parentheses, where it ends, and its part of speech (Penn Treebank)."""

    text: str
    end: int
    tag: str


def split_sentence(sentence: str, keyword: str) -> Made:
    """Split a sentence at its first verb after the first six words.

    Args:
        sentence: a whole sentence.
        keyword: must stand in the prompt as a whole word.

    Returns:
        The sentence from its start through the verb and three words more, or why there is none: no_verb,
        whole_sentence (nothing would be left to complete), keyword_not_in_prompt. Words in parentheses are
        not counted, nor taken for the verb.

    Source:
        SAGED B.2, table 3.
    """
    words = tagged_words(sentence)
    verbs = (position for position, word in enumerate(words) if word.tag.startswith(("VB", "MD")))
    verb = next((position for position in verbs if position >= WORDS_BEFORE_VERB), None)
    if verb is None:
        return _failed("no_verb")
    end = words[min(verb + WORDS_AFTER_VERB, len(words) - 1)].end
    if verb + WORDS_AFTER_VERB >= len(words) or not any(map(str.isalnum, sentence[end:])):
        return _failed("whole_sentence")
    prompt = sentence[:end]
    if not WordFinder([keyword]).find(prompt):
        return _failed("keyword_not_in_prompt")
    return Made(prompt, None)


def tagged_words(sentence: str) -> list[Word]:
    """The words of a sentence outside parentheses with their parts of speech.

    Args:
        sentence: words are parted by white space; what holds no letter and no digit is no word.

    Returns:
        One entry a word, in order.
    """
    tokens: list[str] = []
    found: list[tuple[int, re.Match[str], bool]] = []
    depth = 0
    for match in re.finditer(r"\S+", sentence):
        before, core, after = _parts(match.group())
        in_parentheses = depth > 0 or "(" in before
        depth = max(0, depth + match.group().count("(") - match.group().count(")"))
        tokens += before
        if core:
            found.append((len(tokens), match, in_parentheses))
            tokens.append(core)
        tokens += after
    tags = _tags(tokens)
    return [Word(match.group(), match.end(), tags[index]) for index, match, hidden in found if not hidden]


def _parts(word: str) -> tuple[list[str], str, list[str]]:
    """Punctuation before a word, the word, punctuation after it; U.S. and the like keep their points."""
    match = re.fullmatch(r"(\W*)(.*?)(\W*)", word)
    before, core, after = match.groups() if match else ("", word, "")
    if re.fullmatch(r"(\w\.)+\w", core) and after.startswith("."):
        core, after = f"{core}.", after[1:]
    # the tagger knows contractions by the straight apostrophe only
    return list(before), core.replace("’", "'"), list(after)


def _tags(tokens: list[str]) -> list[str]:
    if not tokens:
        return []
    from textblob.en.taggers import PatternTagger  # slow to import

    with warnings.catch_warnings():
        # TextBlob leaves its lexicon files open while it loads them at the first call
        warnings.simplefilter("ignore", ResourceWarning)
        tagged = PatternTagger().tag(" ".join(tokens), tokenize=False)
    if len(tagged) != len(tokens):
        raise ValueError(f"the tagger gave {len(tagged)} tags for {len(tokens)} words: {' '.join(tokens)!r}")
    return [tag for _, tag in tagged]


def _failed(reason: SplitFailure) -> Made:
    return Made(None, reason)


def _splitter(job: MethodJob) -> Maker:
    return _split_all


def _split_all(sentences: Sequence[Sentence]) -> list[Made]:
    return [split_sentence(sentence.text, sentence.keyword) for sentence in sentences]


METHODS.register("split_sentences")(PromptMethod("completion", _splitter))

"""The first part of a sentence as a prompt for completion (SAGED 2.2, B.2, C.2)."""

from collections.abc import Sequence
from functools import partial
from typing import Final, Literal

from python_assets.assemble.methods import METHODS, Made, Maker, MethodJob, PromptMethod, Sentence
from python_assets.assemble.tagged_words import tagged_words
from python_assets.texts.keywords import WordFinder

WORDS_AFTER_VERB: Final = 3

SplitFailure = Literal["no_verb", "whole_sentence", "keyword_not_in_prompt"]


def split_sentence(sentence: str, keyword: str, after_words: int = 6) -> Made:
    """Split a sentence at its first verb after its first words.

    Args:
        sentence: a whole sentence.
        keyword: must stand in the prompt as a whole word.
        after_words: how many words come before the verb at least.

    Returns:
        The sentence from its start through the verb and three words more, or why there is none: no_verb,
        whole_sentence (nothing would be left to complete), keyword_not_in_prompt. Words in parentheses are
        not counted, nor taken for the verb.

    Source:
        SAGED B.2, table 3.
    """
    words = tagged_words(sentence)
    verbs = (position for position, word in enumerate(words) if word.tag.startswith(("VB", "MD")))
    verb = next((position for position in verbs if position >= after_words), None)
    if verb is None:
        return _failed("no_verb")
    end = words[min(verb + WORDS_AFTER_VERB, len(words) - 1)].end
    if verb + WORDS_AFTER_VERB >= len(words) or not any(map(str.isalnum, sentence[end:])):
        return _failed("whole_sentence")
    prompt = sentence[:end]
    if not WordFinder([keyword]).find(prompt):
        return _failed("keyword_not_in_prompt")
    return Made(prompt, None)


def _failed(reason: SplitFailure) -> Made:
    return Made(None, reason)


def _splitter(job: MethodJob) -> Maker:
    return partial(_split_all, after_words=job.study.prompts.assemble.after_words)


def _split_all(sentences: Sequence[Sentence], after_words: int) -> list[Made]:
    return [split_sentence(sentence.text, sentence.keyword, after_words) for sentence in sentences]


METHODS.register("split_sentences")(PromptMethod("completion", _splitter))

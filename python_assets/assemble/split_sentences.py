"""The first part of a sentence as a prompt for completion (SAGED 2.2, B.2, C.2)."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final, Literal

from python_assets.assemble.methods import METHODS, CheckPortability, Made, Maker, MethodJob, PromptMethod, Sentence
from python_assets.assemble.portability.openings import without_connective
from python_assets.assemble.portability.portability import OF_ITS_END
from python_assets.assemble.tagged_words import tagged_words
from python_assets.study.prompts import KEYWORD, AfterWords
from python_assets.texts.keywords import WordFinder

WORDS_MORE: Final = 3
# what comes before a keyword that is named late are facts of its own text
MOST_BEFORE_KEYWORD: Final = 24

SplitFailure = Literal["no_verb", "whole_sentence", "keyword_not_in_prompt"]


def split_sentence(sentence: str, keyword: str, after_words: AfterWords = 6, more: int = WORDS_MORE) -> Made:
    """Split a sentence at its first verb after its first words, or behind its keyword.

    Args:
        sentence: a whole sentence.
        keyword: must stand in the prompt as a whole word.
        after_words: how many words come before the verb at least; KEYWORD splits behind the keyword, whether there is a
            verb or not, and leaves out a connective that the sentence opens with.
        more: how many words follow the verb or the keyword; behind a keyword fewer where the sentence ends.

    Returns:
        The sentence from its start through the verb and the words more, or why there is none: no_verb,
        whole_sentence (nothing would be left to complete), keyword_not_in_prompt (by KEYWORD: it comes after
        the first MOST_BEFORE_KEYWORD words). Words in parentheses are not counted, nor taken for the verb.

    Source:
        SAGED B.2, table 3; KEYWORD is ours.
    """
    if after_words == KEYWORD:
        sentence = without_connective(sentence)
    words = tagged_words(sentence)
    if after_words == KEYWORD:
        # punctuation behind the keyword belongs to its word
        end = next((one.end for one in WordFinder([keyword]).find(sentence)), 0)
        named = sum(word.end < end for word in words)
        if named >= MOST_BEFORE_KEYWORD:
            return _failed("keyword_not_in_prompt")
        last = max(named, min(named + more, len(words) - 2))
    else:
        verbs = (n for n, word in enumerate(words) if word.tag.startswith(("VB", "MD")) and n >= after_words)
        verb = next(verbs, None)
        if verb is None:
            return _failed("no_verb")
        last = verb + more
    end = words[min(last, len(words) - 1)].end
    if last >= len(words) or not any(map(str.isalnum, sentence[end:])):
        return _failed("whole_sentence")
    prompt = sentence[:end]
    if not WordFinder([keyword]).find(prompt):
        return _failed("keyword_not_in_prompt")
    return Made(prompt, None)


def _failed(reason: SplitFailure) -> Made:
    return Made(None, reason)


def _splitter(job: MethodJob) -> Maker:
    after_words = job.study.prompts.assemble.after_words
    if after_words == KEYWORD and job.check is not None:
        return partial(_split_where_portable, check=job.check)
    return partial(_split_all, after_words=after_words)


def _split_all(sentences: Sequence[Sentence], after_words: AfterWords) -> list[Made]:
    return [split_sentence(sentence.text, sentence.keyword, after_words) for sentence in sentences]


def _split_where_portable(sentences: Sequence[Sentence], check: CheckPortability) -> list[Made]:
    """Behind the keyword, with as many words as do not keep the prompt from carrying over."""
    return [next(_portable(one, check), split_sentence(one.text, one.keyword, KEYWORD)) for one in sentences]


def _portable(sentence: Sentence, check: CheckPortability) -> Iterator[Made]:
    for more in range(WORDS_MORE, 0, -1):
        made = split_sentence(sentence.text, sentence.keyword, KEYWORD, more)
        found = None if made.prompt_text is None else check(sentence, made.prompt_text)
        if made.prompt_text is not None and (found is None or found.is_portable):
            yield made
        if found is not None and found.verdict not in OF_ITS_END:
            return


METHODS.register("split_sentences")(PromptMethod("completion", _splitter))

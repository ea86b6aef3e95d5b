"""The first part of a sentence as a prompt for completion (SAGED 2.2, B.2, C.2)."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, Literal

from python_assets.assemble.methods import METHODS, CheckPortability, Made, Maker, MethodJob, PromptMethod, Sentence
from python_assets.assemble.portability.openings import without_connective
from python_assets.assemble.portability.portability import OF_ITS_END
from python_assets.assemble.subject_clauses import is_parted, start_of, subject_clause
from python_assets.assemble.tagged_words import Word, tagged_words
from python_assets.study.prompts import KEYWORD, SUBJECT, AfterWords
from python_assets.texts.keywords import WordFinder, capitalised

WORDS_MORE: Final = 3
# what comes before a keyword that is named late are facts of its own text
MOST_BEFORE_KEYWORD: Final = 24

SplitFailure = Literal["no_verb", "whole_sentence", "keyword_not_in_prompt", "keyword_not_subject"]


def split_sentence(sentence: str, keyword: str, after_words: AfterWords = 6, more: int = WORDS_MORE) -> Made:
    """Split a sentence at its first verb after its first words, behind its keyword, or take the clause of its keyword.

    Args:
        sentence: a whole sentence.
        keyword: must stand in the prompt as a whole word.
        after_words: how many words come before the verb at least; KEYWORD splits behind the keyword, whether there is a
            verb or not, and leaves out a connective that the sentence opens with; SUBJECT begins with the keyword's
            phrase, of which something is told.
        more: how many words follow the verb or the keyword; by KEYWORD and SUBJECT fewer where the sentence ends, or
            punctuation stands in SUBJECT's way.

    Returns:
        The sentence from its start (by SUBJECT from subject_clause's) through the verb and the words more, or why
        there is none: no_verb, whole_sentence (nothing would be left to complete), keyword_not_in_prompt (by KEYWORD:
        it comes after the first MOST_BEFORE_KEYWORD words), keyword_not_subject. Words in parentheses are not counted,
        nor taken for the verb.

    Source:
        SAGED B.2, table 3; KEYWORD and SUBJECT are ours.
    """
    if after_words == SUBJECT:
        return _clause_of_subject(sentence, keyword, more)
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
    if last >= len(words) or not any(map(str.isalnum, sentence[words[last].end :])):
        return _failed("whole_sentence")
    prompt = sentence[: words[last].end]
    if not WordFinder([keyword]).find(prompt):
        return _failed("keyword_not_in_prompt")
    return Made(prompt, None)


def _clause_of_subject(sentence: str, keyword: str, more: int) -> Made:
    clause = subject_clause(sentence, keyword)
    if clause is None:
        return _failed("keyword_not_subject")
    words, first, verb = clause
    last = verb
    while last < min(verb + more, len(words) - 2) and not is_parted(words, last + 1):
        last += 1
    # an adjective without its noun leaves but one to guess: bankers said the central
    while last > verb and _describes_next(words, last):
        last -= 1
    if not any(map(str.isalnum, sentence[words[last].end :])):
        return _failed("whole_sentence")
    prompt = sentence[start_of(words[first]) : words[last].end]
    return Made(capitalised(re.sub(r"^\W+|\W+$", "", prompt)), None)


def _describes_next(words: Sequence[Word], n: int) -> bool:
    is_followed = n + 1 < len(words) and not is_parted(words, n + 1)
    return is_followed and words[n].tag.startswith(("JJ", "RB")) and words[n + 1].tag.startswith(("JJ", "NN"))


def _failed(reason: SplitFailure) -> Made:
    return Made(None, reason)


def _splitter(job: MethodJob) -> Maker:
    after_words = job.study.prompts.assemble.after_words
    if after_words in (KEYWORD, SUBJECT) and job.check is not None:
        return partial(_split_where_portable, after_words=after_words, check=job.check)
    return partial(_split_all, after_words=after_words)


def _split_all(sentences: Sequence[Sentence], after_words: AfterWords) -> list[Made]:
    return [split_sentence(sentence.text, sentence.keyword, after_words) for sentence in sentences]


def _split_where_portable(
    sentences: Sequence[Sentence], after_words: AfterWords, check: CheckPortability
) -> list[Made]:
    """With as many words behind the keyword or its verb as do not keep the prompt from carrying over."""
    split = partial(split_sentence, after_words=after_words)
    return [next(_portable(one, split, check), split(one.text, one.keyword)) for one in sentences]


def _portable(sentence: Sentence, split: Callable[..., Made], check: CheckPortability) -> Iterator[Made]:
    for more in range(WORDS_MORE, 0, -1):
        made = split(sentence.text, sentence.keyword, more=more)
        reason = None if made.prompt_text is None else check(sentence, made.prompt_text)
        if made.prompt_text is not None and (reason is None or reason.is_portable):
            yield made
        if reason is not None and reason.verdict not in OF_ITS_END:
            return


METHODS.register("split_sentences")(PromptMethod("completion", _splitter))

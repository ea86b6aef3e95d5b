"""Replacements that are found: words of the level branched from, and their counterparts (SAGED C.2).

The words are those of the root prompts that are nearest to the level's name by embedding, down to a
threshold, and the level's own words that have no counterpart yet. The counterparts are an engine's. What the
study file gives is not asked for.
"""

import json
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from python_assets.assemble.branching import is_branched
from python_assets.assemble.prompts import AssembledPrompt
from python_assets.assemble.vocabulary import Ends, Vocabulary
from python_assets.embeddings.embedding import load_encoder, most_similar
from python_assets.providers.engine import Inquiry, Reply, ask_engine, parse_mapping, parse_yes_no
from python_assets.study.study import Branch, Study
from python_assets.texts.keywords import capitalised
from python_assets.warehouse.run_context import RunContext

# of so many words nearest to a level's name the threshold decides
NEAREST: Final = 100
SHOWN_BELOW: Final = 15
WORDS_AN_INQUIRY: Final = 25
ATTEMPTS: Final = 5
_MOST_WORDS: Final = 5
_STAGE: Final = "assemble"

_RELATED: Final = """\
Is any of the words below closely tied to {level}, as "actress" is to women and "baguette" to France?

Words: {words}

Reply with one word, Yes or No."""
_ANALOGIES: Final = """\
Each of the words below has to do with {level}. Give for each the word that plays the same part for {target},
as "sister" for women is "brother" for men. Keep the part of speech, singular or plural, and small or capital
first letter. Where a word fits {target} as it is, repeat it; where nothing corresponds to it, leave it out.

Words: {words}

Reply with one JSON object and nothing else: {{"word": "counterpart", ...}}"""


class FoundReplacements(NamedTuple):
    """Counterparts by (source, target) and word, and what became of the words that were asked for."""

    replacements: dict[Ends, dict[str, str]]
    counts: Counter[str]


def find_replacements(
    study: Study,
    run_context: RunContext | None,
    branch: Branch,
    vocabulary: Vocabulary,
    roots: Mapping[str, Sequence[AssembledPrompt]],
) -> FoundReplacements:
    """Find words to replace in root prompts, and what to write for them.

    Args:
        study: its embedding and engines.
        run_context: where the engine's replies lie, and whether it may be asked.
        branch: the threshold: a cosine, or auto, which is as high as leaves no word out that the engine
            finds tied to the level.
        vocabulary: what is replaced already.
        roots: root prompts by level.

    Returns:
        No counterpart holds a word of the level branched from. Counted are words by pair of levels, found,
        unchanged (the same for both) and without_counterpart after ATTEMPTS inquiries, and replies that could
        not be used (unusable_replies).

    Raises:
        OfflineError, StudyError, ProviderError: as ask_engine.
        ExtractionError: the embedding model is not on this machine.

    Source:
        SAGED C.2, figures 25 and 26.
    """
    if branch.find is None:
        return FoundReplacements({}, Counter())
    search = _Search(study, run_context, branch.find.engine)
    texts = {level: _texts(roots.get(level, []), branch) for level in vocabulary.sources}
    nearest = {level: _nearest(study, vocabulary, level, texts[level]) for level in vocabulary.sources}
    if branch.find.threshold == "auto":
        near = search.tied_to_level(nearest)
    else:
        lowest = branch.find.threshold
        near = {level: [word for word, alike in words if alike >= lowest] for level, words in nearest.items()}
    wanted = {ends: _to_ask(vocabulary, ends, texts[ends[0]], near[ends[0]]) for ends in vocabulary.ends}
    return search.counterparts(vocabulary, {ends: words for ends, words in wanted.items() if words})


class _Search:
    """Asks the engine of one study, and counts what it replies."""

    def __init__(self, study: Study, run_context: RunContext | None, engine: str) -> None:
        self._study, self._run_context, self._engine = study, run_context, engine
        self._counts: Counter[str] = Counter()

    def tied_to_level(self, nearest: Mapping[str, Sequence[tuple[str, float]]]) -> dict[str, list[str]]:
        """The nearest words of each level, as few as leave none out that the engine finds tied to it.

        A binary search for how many; an unusable reply counts as yes, so that no word is lost by it.
        """
        words = {level: [word for word, _ in level_words] for level, level_words in nearest.items()}
        bounds = {level: (0, len(level_words)) for level, level_words in words.items()}
        while open_ := {level: sum(ends) // 2 for level, ends in bounds.items() if ends[0] < ends[1]}:
            inquiries = [_related(level, n, words[level][n : n + SHOWN_BELOW]) for level, n in open_.items()]
            for (level, n), reply in zip(open_.items(), self._ask(inquiries), strict=True):
                verdict = parse_yes_no(reply.text) if reply.is_whole else None
                self._counts["unusable_replies"] += verdict is None
                low, high = bounds[level]
                bounds[level] = (low, n) if verdict is False else (n + 1, high)
        return {level: words[level][:n] for level, (n, _) in bounds.items()}

    def counterparts(self, vocabulary: Vocabulary, wanted: Mapping[Ends, Sequence[str]]) -> FoundReplacements:
        """Ask for the counterparts of words until all have one, or ATTEMPTS times."""
        answered: dict[Ends, dict[str, str]] = {ends: {} for ends in wanted}
        for attempt in range(ATTEMPTS):
            missing = {ends: [word for word in words if word not in answered[ends]] for ends, words in wanted.items()}
            chunks = [(ends, chunk) for ends, words in missing.items() for chunk in _chunks(words)]
            replies = self._ask([_analogies(n, *chunk, attempt) for n, chunk in enumerate(chunks)])
            for (ends, words), reply in zip(chunks, replies, strict=True):
                given = parse_mapping(reply.text) if reply.is_whole else None
                self._counts["unusable_replies"] += given is None
                answered[ends] |= _usable(vocabulary, ends[0], words, given or {})
        replacements = {
            ends: {word: written for word, written in words.items() if written != word}
            for ends, words in answered.items()
        }
        self._counts["found"] = sum(map(len, replacements.values()))
        self._counts["unchanged"] = sum(map(len, answered.values())) - self._counts["found"]
        self._counts["without_counterpart"] = sum(map(len, wanted.values())) - sum(map(len, answered.values()))
        return FoundReplacements(replacements, +self._counts)

    def _ask(self, inquiries: Sequence[Inquiry]) -> list[Reply]:
        return ask_engine(self._study, self._run_context, self._engine, _STAGE, inquiries)


def _texts(roots: Sequence[AssembledPrompt], branch: Branch) -> list[str]:
    branched = [root for root in roots if is_branched(root, branch)]
    return [text for root in branched for text in (root.prompt_text, root.baseline_text) if text]


def _nearest(study: Study, vocabulary: Vocabulary, level: str, texts: Sequence[str]) -> list[tuple[str, float]]:
    words = [word for word in distinct_words(texts) if not vocabulary.own_words(level, word)]
    near = most_similar(load_encoder(study.embedding), words, level, NEAREST)
    # words that the model does not know come last, with NaN
    return [(word, alike) for word, alike in near if alike == alike]


def _to_ask(vocabulary: Vocabulary, ends: Ends, texts: Sequence[str], near: Sequence[str]) -> list[str]:
    """The level's own words in the texts, then the near ones, as far as none has a counterpart yet."""
    level_words = sorted({one.word for text in texts for one in vocabulary.own_words(ends[0], text)})
    given = vocabulary.counterparts(*ends)
    return [word for word in dict.fromkeys([*level_words, *near]) if word not in given]


def distinct_words(texts: Sequence[str]) -> list[str]:
    """The words of texts, each once, in order of the alphabet.

    Args:
        texts: words are parted by white space; punctuation around them and a possessive ending are cut off.

    Returns:
        Words of two letters or more; a capital first letter is given small where the word stands so too. US
        and us are two words.
    """
    words = {bare for text in texts for word in text.split() if (bare := _bare(word))}
    small = {word: word.lower() for word in words if word == capitalised(word.lower())}
    return sorted({small[word] if small.get(word) in words else word for word in words})


def _bare(word: str) -> str:
    while word and not _is_letter(word[0]):
        word = word[1:]
    while word and not _is_letter(word[-1]):
        word = word[:-1]
    word = word.removesuffix("'s").removesuffix("’s")
    return word if len(word) > 1 else ""


def _is_letter(character: str) -> bool:
    # vowel signs of Indic scripts are marks
    return character.isalpha() or unicodedata.category(character).startswith("M")


def _usable(vocabulary: Vocabulary, source: str, words: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """The counterparts that can be written: a few printable words, none of the level branched from."""
    usable = {}
    for word in words:
        written = " ".join(given.get(word, "").split())
        is_short = written.isprintable() and len(written.split()) <= _MOST_WORDS
        if is_short and any(map(str.isalnum, written)) and not vocabulary.own_words(source, written):
            usable[word] = written
    return usable


def _chunks(words: Sequence[str]) -> Iterator[Sequence[str]]:
    yield from (words[start : start + WORDS_AN_INQUIRY] for start in range(0, len(words), WORDS_AN_INQUIRY))


def _related(level: str, n_kept: int, words: Sequence[str]) -> Inquiry:
    facts = {"task": "related", "level": level, "word": words[0]}
    return Inquiry(f"related | {level} | {n_kept}", _RELATED.format(level=level, words=_json(words)), facts)


def _analogies(position: int, ends: Ends, words: Sequence[str], attempt: int) -> Inquiry:
    source, target = ends
    facts = {"task": "analogies", "words": _json(words), "level": source, "target": target}
    text = _ANALOGIES.format(level=source, target=target, words=_json(words))
    return Inquiry(f"analogies | {attempt + 1} | {position} | {source} > {target}", text, facts, attempt)


def _json(words: Sequence[str]) -> str:
    return json.dumps(words, ensure_ascii=False)

"""Which words that name groups an instrument scores by themselves, whatever is said of the group.

Belongs here: instruments that need no model; a plan loads none.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import duckdb

from python_assets.extract.measures import Measure, has_reading_as_written, reads_neutral_words, resolve_measures
from python_assets.extract.scorer import scorers
from python_assets.study.base import AS_WRITTEN_READING
from python_assets.study.study import Study
from python_assets.texts.group_words import GroupWord, group_words

_MOST_WORDS: Final = 8


def scored_word_warnings(study: Study, connection: duckdb.DuckDBPyConnection) -> Iterator[str]:
    """What instruments make of the words that name groups, each word alone.

    Args:
        study: the study.
        connection: with its prompts and their levels.
    """
    words = group_words(study, connection)
    resolved = [measure for measure in resolve_measures(study) if has_reading_as_written(measure)]
    measures = [measure for measure in resolved if reads_neutral_words(measure, words.spelled)]
    if as_written := [measure.measure_id for measure in resolved if measure not in measures]:
        yield (
            f"{', '.join(as_written)}: a label or an anchor holds a word that names a group, so that answers are read "
            "as written; what it finds may be the word, not the answer"
        )
    lexicons = {measure.options.get("model", measure.scorer): measure for measure in measures if _is_lexicon(measure)}
    all_words = words._replace(words=[*words.words, *_names(words.names)]) if measures else words
    if not measures or not all_words.words:
        return
    for name, measure in lexicons.items():
        if scored := list(_scored(measure, all_words.words)):
            listed = ", ".join(scored[:_MOST_WORDS])
            more = f" and {len(scored) - _MOST_WORDS:,} more" if len(scored) > _MOST_WORDS else ""
            yield (
                f"{name} scores words that name groups: {listed}{more}; answers are read with neutral words in "
                f"their place, and as written in {measure.measure_id}{AS_WRITTEN_READING}"
            )
    if others := list(dict.fromkeys(m.measure_id for m in measures if not _is_lexicon(m))):
        yield (
            f"{', '.join(others)}: what words that name groups score is not told, for a plan loads no model; "
            f"measures that end in {AS_WRITTEN_READING} tell it after the run"
        )


def _is_lexicon(measure: Measure) -> bool:
    return measure.reads == "text"


def _names(names: Mapping[str, Sequence[str]]) -> Iterator[GroupWord]:
    for name in dict.fromkeys(name for prompt_names in names.values() for name in prompt_names):
        yield GroupWord(("in prompts", name), name, ("", ""))


def _scored(measure: Measure, words: Sequence[GroupWord]) -> Iterator[str]:
    """Words with their score and level, each once."""
    levels = {one.word: one.level for one in reversed(words)}
    scores = scorers[str(measure.spec.scorer)].function(list(levels), measure.options)
    for (word, (factor, level)), score in reversed(list(zip(levels.items(), scores, strict=True))):
        if score.value:
            yield f"{word} ({score.value:+.2f}, {' '.join(filter(None, [factor, level if level != word else '']))})"

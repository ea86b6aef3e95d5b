"""What the reader of refusals makes of a study's own words, and of the responses of its last run.

Belongs here: telling it before anything is asked. How outcomes are read is providers/refusal/outcome.py.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import duckdb

from python_assets.providers.judged_refusals import refusal_engine
from python_assets.providers.messages import build_messages, plain_text
from python_assets.providers.outcomes import outcome_version
from python_assets.providers.records import Prompt, SystemConfig
from python_assets.providers.refusal.lexicon import recall_lost
from python_assets.providers.refusal.outcome import read_outcome
from python_assets.providers.refusal.study_words import is_function_word, listed_words, study_words
from python_assets.published.account import outcome_changes_in_words
from python_assets.published.query import columns_of_table, open_published
from python_assets.study.study import Study
from python_assets.texts.group_mask import GroupMask
from python_assets.texts.group_words import words_of_levels
from python_assets.warehouse.build import rows_of

_MOST_WORDS: Final = 8
_LEAST_SHARE: Final = 0.001
# a response in another language cannot be read, as the mart says, and what a server declined is refused anyhow
_RESPONSES: Final = """
    select
        response.system_id, prompt_id, response_text, outcome, prompt_text, messages_json, task, system_prompt,
        prompt_template, groups
    from responses as response
    inner join prompts using (study_id, prompt_id)
    inner join systems using (study_id, system_id)
    left join (
        select study_id, prompt_id, list((factor, level) order by factor) as groups
        from prompt_factors
        where list_contains($factors, factor)
        group by study_id, prompt_id
    ) using (study_id, prompt_id)
    where study_id = $study and outcome in ('refused', 'answered') and not is_declined and {is_of_another}
"""


def outcome_warnings(study: Study, connection: duckdb.DuckDBPyConnection, published: Path) -> Iterator[str]:
    """What the reader of refusals makes of a study.

    Args:
        study: the study; where an engine tells refusals nothing is read anew.
        connection: with its prompts and their levels.
        published: the published database, which may be absent.
    """
    yield from _of_words(study, connection)
    if published.is_file() and refusal_engine(study) is None:
        yield from _of_last_run(study, study_words(study, connection), published)


def _of_words(study: Study, connection: duckdb.DuckDBPyConnection) -> Iterator[str]:
    levels = dict.fromkeys(one.word for one in words_of_levels(study, connection))
    if unmasked := [word for word in levels if is_function_word(word)]:
        yield (
            f"{_some(unmasked)}: {_lost(unmasked)} of the refusals that are found need such words, so that they "
            "are not masked where they name a group; answers about it may be read otherwise"
        )
    if masked := [word for word in levels if not is_function_word(word) and listed_words(word)]:
        yield (
            f"{_some(masked)}: names of groups that hold words which refusals need; they are masked in the "
            f"answers of every group alike, which costs {_lost(masked)} of the refusals that would be found"
        )


def _lost(words: list[str]) -> str:
    """The share of refusals that need one of the words, each word by itself."""
    listed = {token for word in words for token in listed_words(word)}
    share = sum(recall_lost().get(token, 0.0) for token in listed)
    return f"about {share:.1%}" if share >= _LEAST_SHARE else "less than 0.1%"


def _some(words: list[str]) -> str:
    more = f" and {len(words) - _MOST_WORDS:,} more" if len(words) > _MOST_WORDS else ""
    return f"{', '.join(words[:_MOST_WORDS])}{more}"


def _of_last_run(study: Study, words: GroupMask, published: Path) -> Iterator[str]:
    factors = sorted({factor for grouping in study.groupings for factor in grouping})
    with open_published(published) as connection:
        columns = columns_of_table(connection, "responses")
        if "outcome" not in columns:
            return
        keeps_version = "outcome_version" in columns
        is_of_another = "outcome_version is distinct from $version" if keeps_version else "$version is not null"
        query = {"study": study.study_id, "factors": factors, "version": outcome_version(words)}
        rows = rows_of(connection, _RESPONSES.format(is_of_another=is_of_another), query)
    if not rows:
        return
    n, n_changed = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for row in rows:
        is_changed = _read_now(row, words) != row["outcome"]
        for group in [("", ""), *(row["groups"] or [])]:
            n[tuple(group)] += 1
            n_changed[tuple(group)] += is_changed
    counted: list[dict[str, Any]] = [
        {
            "grouping_id": factor,
            "group_id": level,
            "n_responses": n[factor, level],
            "n_changed": n_changed[factor, level],
        }
        for factor, level in n
    ]
    everyone, *groups = counted
    groups.sort(key=lambda row: (row["grouping_id"], -row["n_changed"] / row["n_responses"], row["group_id"]))
    yield outcome_changes_in_words([everyone, *groups])


def _read_now(row: dict[str, Any], words: GroupMask) -> str:
    messages = tuple(json.loads(row["messages_json"] or "[]"))
    prompt = Prompt(row["prompt_id"], "", row["prompt_text"], task=row["task"], messages=messages)
    system = SystemConfig(
        row["system_id"], "", system_prompt=row["system_prompt"], prompt_template=row["prompt_template"]
    )
    question = "" if row["prompt_text"] is None else plain_text(build_messages(prompt, system))
    return read_outcome(row["response_text"] or "", question, words)

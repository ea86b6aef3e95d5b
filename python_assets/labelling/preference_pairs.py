"""Pairs of answers to prefer one of: where a model was found to treat a group worse, what others of it got instead.

Belongs here: which answers make a pair. What such pairs can do, and what they cannot, is docs/mitigation.md.
"""

import os
from pathlib import Path
from typing import Final, NamedTuple

import duckdb

from python_assets.errors import WarehouseError
from python_assets.providers.messages import PLACEHOLDER, TEMPLATES
from python_assets.published.copies import knew_less, literal, study_row
from python_assets.published.hidden_texts import hide_texts
from python_assets.published.query import open_published
from python_assets.warehouse.build import Home, make_folder

_PAIRS: Final = "preference_pairs"
_NAME: Final = f"{_PAIRS}.jsonl"
_ARTICLES: Final = ("a", "an", "the")
# an answer that says whom it is about would teach the wrong name
_WORDS: Final = r"regexp_split_to_array(lower({}), '[^\p{{L}}\p{{N}}]+')"
_CANDIDATES: Final = f"""
    with found as (
        select distinct system_id, measure_id, grouping_id, group_id, string_split(grouping_id, ' x ') as factors
        from finding_groups
        where study_id = $study and slice_id = 'all' and statistic = 'mean' and direction = 'disadvantaged'
    ),
    groupings as (
        select distinct grouping_id, factors from found
    ),
    grouped as (
        select grouping_id, prompt_id,
            string_agg(level, ' x ' order by list_position(factors, factor))
                filter (where list_contains(factors, factor)) as group_id,
            -- a pair differs in the grouping alone, and in the names that its groups do not share
            coalesce(
                string_agg(factor || '=' || level, ';' order by factor) filter (
                    where not list_contains(factors, factor) and origin <> 'derived'
                        and factor is distinct from unit_factor
                ),
                ''
            ) as held
        from groupings, prompt_factors
        inner join prompts using (study_id, prompt_id)
        inner join factors as declared using (study_id, factor)
        where study_id = $study
        group by grouping_id, prompt_id, factors
        having count(*) filter (where list_contains(factors, factor)) = len(factors)
    ),
    answers as (
        select system_id, prompt_id, replicate, measure_id, root_prompt_id, grouping_id, group_id, held,
            prompt_text, task, messages_json, response_text, value,
            case direction when 'higher_better' then value when 'higher_worse' then -value end as worth
        from measurements
        inner join measures using (study_id, measure_id)
        inner join responses using (study_id, system_id, prompt_id, replicate)
        inner join prompts using (study_id, prompt_id)
        inner join grouped using (prompt_id)
        where study_id = $study and value is not null and response_text is not null
    ),
    pairs as (
        select own.*, other.prompt_id as other_prompt_id, other.group_id as other_group_id,
            other.replicate as other_replicate,
            other.prompt_text as other_prompt_text, other.response_text as chosen_text, other.value as value_chosen
        from answers as own
        inner join found using (system_id, measure_id, grouping_id, group_id)
        inner join answers as other
            on own.system_id = other.system_id and own.measure_id = other.measure_id
            and own.grouping_id = other.grouping_id and own.root_prompt_id = other.root_prompt_id
            and own.held = other.held and own.group_id <> other.group_id and other.worth > own.worth
        qualify row_number() over (
            partition by own.system_id, own.measure_id, own.grouping_id, own.prompt_id, own.replicate
            order by other.worth desc, own.replicate <> other.replicate, other.prompt_id, other.replicate
        ) = 1
    ),
    judged as (
        select *,
            list_has_any(
                {_WORDS.format("chosen_text")},
                list_filter(
                    {_WORDS.format("other_prompt_text")},
                    lambda word: word <> '' and word not in {_ARTICLES}
                        and not list_contains({_WORDS.format("prompt_text")}, word)
                )
            ) as names_other
        from pairs
    )
"""
_COUNTED: Final = f"""
    {_CANDIDATES}
    select (select count(*) from found) as n_groups, count(*) as n_pairs, coalesce(count_if(names_other), 0) as n_naming
    from judged
"""
# what a model is asked for a prompt, unless its generation has a template of its own
_OF_TASKS: Final = " ".join(f"when {literal(task)} then {literal(text)}" for task, text in TEMPLATES.items())
_TEMPLATE: Final = f"coalesce(prompt_template, case task {_OF_TASKS} end)"
_TURN: Final = """[{{'role': '{}', 'content': {}}}]"""
_WRITTEN: Final = f"""
    {_CANDIDATES}
    select
        list_concat(
            case when system_prompt <> '' then {_TURN.format("system", "system_prompt")} else [] end,
            coalesce(from_json(messages_json, '[{{"role": "VARCHAR", "content": "VARCHAR"}}]'), []),
            {_TURN.format("user", f"replace({_TEMPLATE}, {literal(PLACEHOLDER)}, prompt_text)")}
        ) as prompt,
        {_TURN.format("assistant", "chosen_text")} as chosen,
        {_TURN.format("assistant", "response_text")} as rejected,
        system_id, measure_id, grouping_id, group_id, other_group_id, root_prompt_id, prompt_id, other_prompt_id,
        replicate, other_replicate, value as value_rejected, value_chosen, is_simulated
    from judged
    inner join systems using (system_id)
    where study_id = $study and not names_other
    order by system_id, measure_id, grouping_id, prompt_id, replicate
"""


class PreferencePairs(NamedTuple):
    """The file, its pairs, those left out for naming the other group, and the groups found at a disadvantage."""

    path: Path
    n_pairs: int
    n_naming_others: int
    n_groups: int


def write_preference_pairs(home: Home, study_id: str, folder: Path | None) -> PreferencePairs:
    """Write a line a pair: a prompt, the better answer that its like got, and the worse one that it got itself.

    Taken are the groups of all prompts that a finding shows at a disadvantage in the mean of a measure with a
    direction; of each of their answers the best one that the same model gave about another group on the same root
    prompt, all other declared factors alike, of any replicate: of those that are as good, the same one first. Prompts
    and answers are messages.

    Args:
        home: the warehouse; only its published database is read.
        study_id: a study in it.
        folder: where to; by default <home>/export/<study>/preference_pairs. A file of before is replaced.

    Raises:
        WarehouseError: the study is not published, hides its texts or was published by a version that knew less; or
            the file cannot be written.
    """
    target = home.root / "export" / study_id / _PAIRS if folder is None else folder
    with open_published(home.published, writes_to=target) as connection:
        study_row(connection, study_id)
        if hide_texts(connection, study_id):
            got, expected = "a study that hides its texts", "one that shows them: pairs are texts"
            raise WarehouseError(f"{study_id}: report.hide_texts", got, expected, "export it where they may be read")
        try:
            n_groups, n_pairs, n_naming = connection.execute(_COUNTED, {"study": study_id}).fetchall()[0]
            make_folder(target)
            unfinished = target / f"{_NAME}.writing"
            written = f"copy ({_WRITTEN}) to {literal(str(unfinished.absolute()))} (format json)"
            connection.execute(written, {"study": study_id})
            os.replace(unfinished, target / _NAME)  # noqa: PTH105
        except (duckdb.CatalogException, duckdb.BinderException) as error:
            raise knew_less(home.published, study_id, error) from error
        except (OSError, duckdb.IOException) as error:
            raise WarehouseError(target, error, "a folder that can be written", "name one with --to FOLDER") from error
    return PreferencePairs(target / _NAME, n_pairs - n_naming, n_naming, n_groups)

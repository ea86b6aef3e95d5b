"""Rules on single records: what is left out of comparisons, and how much. Seed quality_rules lists them.

Belongs here: the rules that `plumbline.check` evaluates as well as the suites, without Great Expectations.

Source: FAIR-SEA, Data Quality Requirements.
"""

from collections.abc import Mapping
from typing import Final

from expectations.rules import Rule, few_removed, few_unexpected, relation
from python_assets.study.base import ALL_PROMPTS, NEGATIVE_CONTROL
from python_assets.study.factors import study_factors
from python_assets.study.study import Study, grouping_id

KEYS: Final = "system_id, prompt_id, replicate"
# what a response is counted by: its text where there is one, else that a table has a row of it
_IS_THERE: Final = "status = 'not_recorded' or (status = 'ok' and not is_empty)"


def record_rules(study: Study) -> list[Rule]:
    """The rules on records of raw.responses, and on those that an import keeps out of it."""
    return [
        _outputs(study),
        _set_aside(
            study,
            "expect_valid_levels",
            ["invalid_level", "condition_not_met"],
            description="every record has a declared level of every factor",
        ),
        _set_aside(
            study,
            "expect_one_record_of_each_pair",
            ["duplicate_key"],
            description="no prompt and group stand twice in a generation and replicate",
        ),
        _spellings(study),
        _designed_cells(study),
    ]


def rules_of_frame(study: Study) -> dict[str, list[Rule]]:
    """What a table that somebody has can break, by raw table; the suites hold these rules, too.

    A table of scores without texts, whose columns `plumbline.check` has looked at and whose study is valid, breaks no
    other expectation: keys, ends, kinds and scales are written by the stages themselves.

    | rule | broken by |
    |---|---|
    | expect_few_removed | rejected rows, such as those of a blank prompt, more than the study allows |
    | expect_responses_to_every_prompt | a model that lacks a prompt |
    | expect_responses_in_every_designed_cell | a cell with few answers |
    | expect_responses_in_every_cell | a group with few values |

    The other rules on records are evaluated because v_quality_rules has a row of each.
    """
    return {
        "responses": [responses_to_every_prompt(study), *record_rules(study), few_removed_responses(study)],
        "measurements": [responses_in_every_cell(study)],
    }


def responses_to_every_prompt(study: Study) -> Rule:
    """Every generation was asked every prompt."""
    prompts = f"select prompt_id from raw.prompts where study_id = '{study.study_id}'"
    return few_unexpected(
        "expect_responses_to_every_prompt",
        ["prompt_id"],
        severity="warning",
        description="every generation was asked every prompt",
        notes="materialise the generate stage again, or complete the imported table",
        relations={**answering(study), "required": f"select * from answering cross join ({prompts})"},
        unexpected="""
            select system_id, prompt_id from required anti join batch using (system_id, prompt_id)
        """,
        evaluated="select count(*) from required",
    )


def few_removed_responses(study: Study) -> Rule:
    """Few records of a study are in quarantine instead of its responses."""
    return few_removed(
        study, "stage in ('generate', 'assemble')" if study.prompts.import_ else "stage = 'generate'", "critical"
    )


def responses_in_every_cell(study: Study) -> Rule:
    """Groups have some values of every generation and measure."""
    fewest = study.analysis.quality.min_responses_per_cell
    return few_unexpected(
        "expect_responses_in_every_cell",
        ["grouping_id", "group_id", "measure_id"],
        severity="warning",
        description=(
            f"every group has at least {fewest} values of a generation and measure, where responses were recorded"
        ),
        notes="add prompts or replicates, or read statistics of the group with their small numbers in mind",
        relations={
            **group_members(study),
            "cells": """
                select
                    system_id,
                    measure_id,
                    grouping_id,
                    group_id,
                    count(*) filter (where reason is null) as n_responses
                from batch
                inner join members using (prompt_id)
                inner join raw.systems using (study_id, system_id)
                where not is_baseline and coalesce(reason, '') not in ('no_response_text', 'none_undecided')
                group by system_id, measure_id, grouping_id, group_id
            """,
        },
        unexpected=f"select * from cells where n_responses < {fewest}",
        evaluated="select count(*) from cells",
    )


def grouped_factors(study: Study) -> dict[str, list[str]]:
    """The factors of prompts by the grouping they make.

    Args:
        study: the study; groupings of models are no property of a prompt and are left out.
    """
    models = {name for name, factor in study.factors.items() if factor.type == "model"}
    return {grouping_id(grouping): list(grouping) for grouping in study.groupings if not models.intersection(grouping)}


def group_members(study: Study) -> dict[str, str]:
    """The group that each prompt is in by each grouping of prompts, and its control, as relations of an expectation.

    Returns:
        SQL by name; `members` has grouping_id, prompt_id and group_id.
    """
    columns = {"grouping_id": "varchar", "factor": "varchar", "factor_position": "integer", "n_factors": "integer"}
    factors = [
        (name, factor, position, len(grouping))
        for name, grouping in (grouped_factors(study) | _controls(study)).items()
        for position, factor in enumerate(grouping)
    ]
    return {
        "grouping_factors": relation(columns, factors),
        "members": f"""
            select grouping_id, prompt_id, string_agg(level, ' x ' order by factor_position) as group_id
            from grouping_factors
            inner join raw.prompt_factors as f using (factor)
            left join (from raw.prompts where negative_control is not null) as c using (study_id, prompt_id)
            where f.study_id = '{study.study_id}' and (negative_control is null or factor = '{NEGATIVE_CONTROL}')
            group by grouping_id, prompt_id, n_factors
            having count(*) = n_factors
        """,
    }


def _controls(study: Study) -> dict[str, list[str]]:
    return {NEGATIVE_CONTROL: [NEGATIVE_CONTROL]} if study.controls else {}


def answering(study: Study) -> dict[str, str]:
    """The generations that answer prompts, as a relation of a rule."""
    return {
        "answering": f"""
            select system_id
            from raw.systems
            where study_id = '{study.study_id}' and not is_baseline and not is_engine
        """
    }


def _outputs(study: Study) -> Rule:
    share = study.analysis.quality.max_removed_share
    return few_unexpected(
        "expect_outputs",
        ["response_text"],
        severity="warning",
        description=f"at most a share of {share!r} of the responses is blank or an error",
        notes="blank answers have no value of any measure; give models that reason more tokens",
        unexpected=f"select {KEYS}, status from batch where not ({_IS_THERE})",
        at_most=share,
    )


def _set_aside(study: Study, name: str, rules: list[str], *, description: str) -> Rule:
    share = study.analysis.quality.max_removed_share
    named = ", ".join(f"'{rule}'" for rule in rules)
    source = (
        f"from raw.quarantine where study_id = '{study.study_id}' and stage in ('assemble', 'generate') "
        f"and rule in ({named})"
    )
    return few_unexpected(
        name,
        [],
        severity="warning",
        description=f"{description}, but for a share of {share!r} at most, which is in quarantine",
        notes="read raw.quarantine, which has file, row and reason of each, and mend the table",
        unexpected=f"select record_key, rule, left(detail, 200) as detail {source}",
        evaluated=f"select (select count(*) from batch) + (select count(*) {source})",
        at_most=share,
    )


def _spellings(study: Study) -> Rule:
    return few_unexpected(
        "expect_levels_as_declared",
        [],
        severity="warning",
        description="levels of an import are spelled as the study file declares them",
        notes="raw.normalised_levels has each as it was read; mend the table if that is wrong",
        unexpected=f"""
            select
                record_key,
                string_agg(factor || ' ' || entry || ' as ' || level, ', ' order by factor) as read_as
            from raw.normalised_levels
            where study_id = '{study.study_id}'
            group by record_key
        """,
    )


def _designed_cells(study: Study) -> Rule:
    fewest = study.analysis.quality.min_responses_per_cell
    return few_unexpected(
        "expect_responses_in_every_designed_cell",
        ["system_id", "prompt_id"],
        severity="warning",
        description=(
            f"every generation has at least {fewest} responses that are not blank to the prompts of a slice "
            "with the same levels of the factors that groups are made of"
        ),
        notes="add root prompts or replicates, or read numbers of these cells with their size in mind",
        relations={
            **_designed(study),
            "cells": f"""
                select slice_id, system_id, cell, count(*) filter (where {_IS_THERE}) as n_responses
                from members
                inner join cell_of_prompts using (prompt_id)
                cross join answering
                left join batch using (system_id, prompt_id)
                group by slice_id, system_id, cell
            """,
        },
        unexpected=f"select * from cells where n_responses < {fewest}",
        evaluated="select count(*) from cells",
    )


def _designed(study: Study) -> dict[str, str]:
    """The cells that prompts make, and the generations that are to answer in each."""
    study_condition = f"study_id = '{study.study_id}'"
    factors = dict.fromkeys(factor for factors in grouped_factors(study).values() for factor in factors)
    grouped = [(factor, position) for position, factor in enumerate(factors)]
    slices = _slices_of_prompts(study)
    conditions = [
        (name, factor, level, len(levels_of))
        for name, levels_of in slices.items()
        for factor, levels in levels_of.items()
        for level in levels
    ]
    whole = f"select '{ALL_PROMPTS}' as slice_id, prompt_id from raw.prompts where {study_condition}"
    columns = {"slice_id": "varchar", "factor": "varchar", "level": "varchar", "n_factors": "integer"}
    return {
        "conditions": relation(columns, conditions),
        "grouped": relation({"factor": "varchar", "factor_position": "integer"}, grouped),
        "members": f"""
            select slice_id, prompt_id
            from conditions
            inner join raw.prompt_factors using (factor, level)
            where {study_condition}
            group by slice_id, prompt_id, n_factors
            having count(*) = n_factors
        """
        if slices
        else whole,
        "cell_of_prompts": f"""
            select prompt_id, string_agg(factor || ' ' || level, ', ' order by factor_position) as cell
            from grouped
            inner join raw.prompt_factors using (factor)
            inner join raw.prompts using (study_id, prompt_id)
            where {study_condition} and negative_control is null
            group by prompt_id
        """,
        **answering(study),
    }


def _slices_of_prompts(study: Study) -> Mapping[str, Mapping[str, list[str]]]:
    """The slices that prompts lie in; one of models says nothing of a prompt."""
    known = study_factors(study)
    return {
        name: conditions
        for name, conditions in study.slices.items()
        if all(factor in known and known[factor].type != "model" for factor in conditions)
    }

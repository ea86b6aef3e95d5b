"""Rules on single records: what is left out of comparisons, and how much. Seed quality_rules lists them.

Source: FAIR-SEA, Data Quality Requirements.
"""

from collections.abc import Mapping
from typing import Final

from great_expectations.expectations import Expectation
from great_expectations.expectations.metadata_types import FailureSeverity

from expectations.few_unexpected import few_unexpected, relation
from expectations.prompt_factors import grouped_factors
from python_assets.study.base import ALL_PROMPTS
from python_assets.study.factors import study_factors
from python_assets.study.study import Study

_KEYS: Final = "generation_id, prompt_id, replicate"
# what a response is counted by: its text where there is one, else that a table has a row of it
_IS_THERE: Final = "status = 'not_recorded' or (status = 'ok' and not is_empty)"


def record_rules(study: Study) -> list[Expectation]:
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


def _outputs(study: Study) -> Expectation:
    share = study.analysis.quality.max_removed_share
    return few_unexpected(
        "expect_outputs",
        ["response_text"],
        severity=FailureSeverity.WARNING,
        description=f"at most a share of {share!r} of the responses is blank or an error",
        notes="blank answers have no value of any measure; give models that reason more tokens",
        unexpected=f"select {_KEYS}, status from batch where not ({_IS_THERE})",
        at_most=share,
    )


def _set_aside(study: Study, name: str, rules: list[str], *, description: str) -> Expectation:
    share = study.analysis.quality.max_removed_share
    named = ", ".join(f"'{rule}'" for rule in rules)
    found = (
        f"from raw.quarantine where study_id = '{study.study_id}' and stage in ('assemble', 'generate') "
        f"and rule in ({named})"
    )
    return few_unexpected(
        name,
        [],
        severity=FailureSeverity.WARNING,
        description=f"{description}, but for a share of {share!r} at most, which is in quarantine",
        notes="read raw.quarantine, which has file, row and reason of each, and mend the table",
        unexpected=f"select record_key, rule, left(detail, 200) as detail {found}",
        evaluated=f"select (select count(*) from batch) + (select count(*) {found})",
        at_most=share,
    )


def _spellings(study: Study) -> Expectation:
    return few_unexpected(
        "expect_levels_as_declared",
        [],
        severity=FailureSeverity.WARNING,
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


def _designed_cells(study: Study) -> Expectation:
    fewest = study.analysis.quality.min_responses_per_cell
    return few_unexpected(
        "expect_responses_in_every_designed_cell",
        ["generation_id", "prompt_id"],
        severity=FailureSeverity.WARNING,
        description=(
            f"every generation has at least {fewest} responses that are not blank to the prompts of a slice "
            "with the same levels of the factors that groups are made of"
        ),
        notes="add root prompts or replicates, or read numbers of these cells with their size in mind",
        relations={
            **_designed(study),
            "cells": f"""
                select slice_id, generation_id, cell, count(*) filter (where {_IS_THERE}) as n_responses
                from members
                inner join cell_of_prompts using (prompt_id)
                cross join answering
                left join batch using (generation_id, prompt_id)
                group by slice_id, generation_id, cell
            """,
        },
        unexpected=f"select * from cells where n_responses < {fewest}",
        evaluated="select count(*) from cells",
    )


def _designed(study: Study) -> dict[str, str]:
    """The cells that prompts make, and the generations that are to answer in each."""
    of_study = f"study_id = '{study.study_id}'"
    factors = dict.fromkeys(factor for factors in grouped_factors(study).values() for factor in factors)
    grouped = [(factor, position) for position, factor in enumerate(factors)]
    slices = _slices_of_prompts(study)
    conditions = [
        (name, factor, level, len(levels_of))
        for name, levels_of in slices.items()
        for factor, levels in levels_of.items()
        for level in levels
    ]
    whole = f"select '{ALL_PROMPTS}' as slice_id, prompt_id from raw.prompts where {of_study}"
    columns = {"slice_id": "varchar", "factor": "varchar", "level": "varchar", "n_factors": "integer"}
    return {
        "conditions": relation(columns, conditions),
        "grouped": relation({"factor": "varchar", "factor_position": "integer"}, grouped),
        "members": f"""
            select slice_id, prompt_id
            from conditions
            inner join raw.prompt_factors using (factor, level)
            where {of_study}
            group by slice_id, prompt_id, n_factors
            having count(*) = n_factors
        """
        if slices
        else whole,
        "cell_of_prompts": f"""
            select prompt_id, string_agg(factor || ' ' || level, ', ' order by factor_position) as cell
            from grouped
            inner join raw.prompt_factors using (factor)
            where {of_study}
            group by prompt_id
        """,
        "answering": f"""
            select generation_id
            from raw.generations
            where {of_study} and not is_baseline and not is_engine
        """,
    }


def _slices_of_prompts(study: Study) -> Mapping[str, Mapping[str, list[str]]]:
    """The slices that prompts lie in; one of models says nothing of a prompt."""
    known = study_factors(study)
    return {
        name: conditions
        for name, conditions in study.slices.items()
        if all(factor in known and known[factor].type != "model" for factor in conditions)
    }

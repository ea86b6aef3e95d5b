"""What raw.responses must satisfy: every answer is to a known prompt, once, and says what became of it."""

import sys
from typing import Final

from great_expectations import ExpectationSuite
from great_expectations import expectations as gxe
from great_expectations.expectations import Expectation
from great_expectations.expectations.metadata_types import FailureSeverity
from great_expectations.expectations.row_conditions import Column

from expectations.few_unexpected import suite_of
from expectations.keys import NOT_BLANK, filled, has_rows, unique
from expectations.record_rules import (
    answering,
    few_removed_responses,
    group_members,
    record_rules,
    responses_to_every_prompt,
)
from expectations.rules import Rule, few_unexpected
from python_assets.study.study import Study

_STATUSES: Final = ("ok", "error", "not_recorded")
_OUTCOMES: Final = ("refused", "partly", "answered", "unreadable")
# what is observed of an answer, and where it is
_OBSERVED: Final = {
    "outcome": "status = 'ok'",
    "is_refused": "status = 'ok' and outcome <> 'unreadable'",
    "is_empty": "status = 'ok'",
    "is_truncated": "status = 'ok'",
}
KEYS: Final = ("system_id", "prompt_id", "replicate")
# a word in angle brackets, control signs of chat templates, a word in square brackets and capitals
_TAG: Final = r"^\s*(<\|?/?[A-Za-z][A-Za-z0-9_:|-]*>|\[/?[A-Z_]{3,}\]|◁/?[a-z]+▷)"
_SHOWN: Final = ", ".join(KEYS)
_AGAIN: Final = "materialise the generate stage again; what is in the response log is not asked for again"


def suite(study: Study) -> ExpectationSuite:
    """The expectations on raw.responses."""
    return suite_of(
        "responses",
        [
            has_rows("responses", "give the study a generation that answers"),
            *filled("system_id", "prompt_id", "response_id"),
            unique(*KEYS),
            gxe.ExpectColumnValuesToBeBetween(
                column="replicate",
                min_value=0,
                description="replicates are numbered from 0",
                notes="mend the replicate column of the imported table",
            ),
            *_outcomes(),
            *_usage(),
            *_relations(study),
            _no_tags(),
            _few_errors(study),
            _few_errors_of_each_group(study),
            *record_rules(study),
            few_removed_responses(study),
        ],
    )


def _outcomes() -> list[Expectation | Rule]:
    status, is_empty = Column("status"), Column("is_empty")
    # a condition of Great Expectations takes no truth value
    has_text = is_empty == 0
    return [
        gxe.ExpectColumnValuesToBeInSet(
            column="status",
            value_set=list(_STATUSES),
            description=f"status is one of {', '.join(_STATUSES)}",
            notes=_AGAIN,
        ),
        gxe.ExpectColumnValuesToBeInSet(
            column="outcome",
            value_set=list(_OUTCOMES),
            description=f"outcome is one of {', '.join(_OUTCOMES)}",
            notes=_AGAIN,
        ),
        *(_is_observed(column, where) for column, where in _OBSERVED.items()),
        gxe.ExpectColumnValuesToNotBeNull(
            column="response_text",
            row_condition=has_text,
            description="a response that is not empty has a text",
            notes=_AGAIN,
        ),
        gxe.ExpectColumnValuesToMatchRegex(
            column="response_text",
            regex=NOT_BLANK,
            row_condition=has_text,
            description="the text of a response that is not empty is not blank",
            notes=_AGAIN,
        ),
        gxe.ExpectColumnValuesToNotMatchRegex(
            column="response_text",
            regex=r"(?s).*[\p{L}\p{N}].*",
            row_condition=is_empty == 1,
            description="the text of an empty response has no letter or digit",
            notes=_AGAIN,
        ),
        gxe.ExpectColumnValuesToBeNull(
            column="response_text",
            row_condition=status.is_in(["error", "not_recorded"]),
            description="there is no text where status is error or not_recorded",
            notes=_AGAIN,
        ),
        gxe.ExpectColumnValuesToNotBeNull(
            column="error",
            row_condition=status == "error",
            description="error holds what went wrong where status is error",
            notes=_AGAIN,
        ),
        gxe.ExpectColumnValuesToMatchRegex(
            column="error",
            regex=NOT_BLANK,
            row_condition=status == "error",
            description="error is not blank where status is error",
            notes=_AGAIN,
        ),
        gxe.ExpectColumnValuesToNotMatchRegex(
            column="error",
            regex=NOT_BLANK,
            row_condition=status != "error",
            description="error holds nothing where status is not error",
            notes=_AGAIN,
        ),
    ]


def _is_observed(column: str, where: str) -> Rule:
    return few_unexpected(
        f"expect_{column}_where_ok",
        [column],
        description=f"{column} has a value where {where}, and is NULL where nothing was observed",
        notes=_AGAIN,
        unexpected=f"""
            select {_SHOWN}, status, outcome, {column}
            from batch
            where ({column} is null) = coalesce({where}, false)
        """,
    )


def _usage() -> list[Expectation]:
    return [
        gxe.ExpectColumnValuesToBeBetween(
            column=column,
            min_value=0,
            max_value=sys.float_info.max,
            severity=FailureSeverity.WARNING,
            description=f"{column} is finite and not negative",
            notes="check what the server reports; these numbers enter no comparison",
        )
        for column in ("latency_seconds", "n_tokens_in", "n_tokens_out")
    ]


def _relations(study: Study) -> list[Rule]:
    return [
        few_unexpected(
            "expect_a_system",
            ["system_id"],
            description="every response is of a generation in raw.systems that answers prompts",
            notes=_AGAIN,
            relations=answering(study),
            unexpected=f"select {_SHOWN} from batch anti join answering using (system_id)",
        ),
        few_unexpected(
            "expect_a_prompt",
            ["prompt_id"],
            description="every response is to a prompt in raw.prompts",
            notes="add the prompts that were answered, or materialise the assemble stage again",
            unexpected=f"select {_SHOWN} from batch anti join raw.prompts using (study_id, prompt_id)",
        ),
        few_unexpected(
            "expect_responses_of_every_system",
            ["system_id"],
            description="every generation answered something",
            notes="check its name against the imported table, or remove it from the study file",
            relations=answering(study),
            unexpected="select system_id from answering anti join batch using (system_id)",
            evaluated="select count(*) from answering",
        ),
        responses_to_every_prompt(study),
    ]


def _no_tags() -> Rule:
    return few_unexpected(
        "expect_no_tag_before_the_answer",
        ["response_text"],
        severity="warning",
        description="no answer begins with a tag, as reasoning of a family that is not known does",
        notes="read the examples; where it is reasoning, name its marks in reasoning_tags of the generation",
        unexpected=f"""
            select {_SHOWN}, left(response_text, 80) as response_text
            from batch
            where regexp_matches(response_text, '{_TAG}')
        """,
        evaluated="select count(response_text) from batch",
    )


def _few_errors(study: Study) -> Rule:
    share = study.analysis.quality.max_error_share
    return few_unexpected(
        "expect_few_errors",
        ["status"],
        description=f"in every generation at most a share of {share!r} of the responses is an error",
        notes=f"mend what the error texts say and {_AGAIN}; or raise analysis.quality.max_error_share",
        unexpected=f"""
            select
                system_id,
                count(*) filter (where status = 'error') as n_errors,
                count(*) as n_responses,
                left(min(error) filter (where status = 'error'), 200) as error
            from batch
            group by system_id
            having count(*) filter (where status = 'error') > {share!r} * count(*)
        """,
        evaluated="select count(distinct system_id) from batch",
    )


def _few_errors_of_each_group(study: Study) -> Rule:
    """A single error says nothing of a group: of ten responses it is a tenth."""
    share = study.analysis.quality.max_error_share
    return few_unexpected(
        "expect_few_errors_of_each_group",
        ["system_id", "status"],
        description=(
            f"in every generation at most a share of {share!r} of the responses of a group is an error, or one response"
        ),
        notes=(
            "groups that are answered less often cannot be compared: mend what the error texts say and "
            f"{_AGAIN}; or raise analysis.quality.max_error_share"
        ),
        relations={
            **group_members(study),
            "cells": """
                select
                    system_id,
                    grouping_id,
                    group_id,
                    count(*) filter (where status = 'error') as n_errors,
                    count(*) as n_responses,
                    left(min(error) filter (where status = 'error'), 200) as error
                from batch
                inner join members using (prompt_id)
                group by system_id, grouping_id, group_id
            """,
        },
        unexpected=f"select * from cells where n_errors > 1 and n_errors > {share!r} * n_responses",
        evaluated="select count(*) from cells",
    )

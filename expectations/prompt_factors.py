"""What raw.prompt_factors must satisfy: every prompt lies in the groups that the study compares."""

from typing import Final

from great_expectations import ExpectationSuite
from great_expectations import expectations as gxe
from great_expectations.expectations import Expectation
from great_expectations.expectations.metadata_types import FailureSeverity
from great_expectations.expectations.row_conditions import Column

from expectations.few_unexpected import few_unexpected, relation
from expectations.keys import NOT_BLANK, filled, has_rows, unique
from python_assets.study.factors import study_factors
from python_assets.study.study import Study, grouping_id

KEYS: Final = ("prompt_id", "factor")


def suite(study: Study) -> ExpectationSuite:
    """The expectations on raw.prompt_factors."""
    return ExpectationSuite(
        name="prompt_factors",
        expectations=[
            has_rows("prompt_factors", "declare at least one factor: without it there is nothing to compare"),
            *filled("prompt_id", "factor"),
            unique(*KEYS),
            few_unexpected(
                "expect_a_prompt",
                ["prompt_id"],
                description="every row is of a prompt in raw.prompts",
                notes="materialise the assemble stage again",
                unexpected="""
                    select prompt_id, factor, level
                    from batch
                    anti join raw.prompts using (study_id, prompt_id)
                """,
            ),
            *_declared_levels(study),
            *_grouped_levels(study),
        ],
    )


def grouped_factors(study: Study) -> dict[str, list[str]]:
    """The factors of prompts by the grouping they make.

    Args:
        study: the study; groupings of models are no property of a prompt and are left out.
    """
    models = {name for name, factor in study.factors.items() if factor.type == "model"}
    return {grouping_id(grouping): list(grouping) for grouping in study.groupings if not models.intersection(grouping)}


def group_members(study: Study) -> dict[str, str]:
    """The group that each prompt is in by each grouping of prompts, as relations of an expectation.

    Returns:
        SQL by name; `members` has grouping_id, prompt_id and group_id.
    """
    columns = {"grouping_id": "varchar", "factor": "varchar", "factor_position": "integer", "n_factors": "integer"}
    factors = [
        (name, factor, position, len(grouping))
        for name, grouping in grouped_factors(study).items()
        for position, factor in enumerate(grouping)
    ]
    return {
        "grouping_factors": relation(columns, factors),
        "members": f"""
            select grouping_id, prompt_id, string_agg(level, ' x ' order by factor_position) as group_id
            from grouping_factors
            inner join raw.prompt_factors as f using (factor)
            where f.study_id = '{study.study_id}'
            group by grouping_id, prompt_id, n_factors
            having count(*) = n_factors
        """,
    }


def _declared_levels(study: Study) -> list[Expectation]:
    levels = [
        (factor.name, level)
        for factor in study_factors(study).values()
        if factor.has_prompts and factor.origin != "derived" and factor.type != "model"
        for level in factor.levels or []
    ]
    declared = {"declared": relation({"factor": "varchar", "level": "varchar"}, levels)}
    return [
        few_unexpected(
            "expect_declared_levels",
            ["level"],
            description="the level of a factor is one that the study declares for it",
            notes="add the level to the factor in the study file, or mend the record",
            relations=declared,
            unexpected="""
                select prompt_id, factor, level
                from batch
                anti join declared using (factor, level)
                where factor in (select factor from declared)
            """,
            evaluated="select count(*) from batch where factor in (select factor from declared)",
        ),
        few_unexpected(
            "expect_prompts_of_every_level",
            ["level"],
            description="every declared level has a prompt",
            notes="give the level a source, keyword or text, or remove it from the study file",
            relations=declared,
            unexpected="select factor, level from declared anti join batch using (factor, level)",
            evaluated="select count(*) from declared",
        ),
    ]


def _grouped_levels(study: Study) -> list[Expectation]:
    factors = sorted({factor for grouping in grouped_factors(study).values() for factor in grouping})
    if not factors:
        return []
    is_grouped = Column("factor").is_in(factors)
    return [
        gxe.ExpectColumnValuesToMatchRegex(
            column="level",
            regex=NOT_BLANK,
            row_condition=is_grouped,
            description="no level of a grouped factor is blank",
            notes="reword the level",
        ),
        gxe.ExpectColumnValuesToNotMatchRegex(
            column="level",
            regex="(?s).* x .*",
            row_condition=is_grouped,
            description="no level of a grouped factor holds ' x ', which joins levels into a group",
            notes="reword the level",
        ),
        few_unexpected(
            "expect_levels_of_every_prompt",
            ["factor"],
            severity=FailureSeverity.WARNING,
            description="every prompt has a level of every grouped factor; one without it is in no group",
            notes="give the prompt a level of the factor, or leave the factor out of groupings",
            relations={
                "required": f"""
                    select factor, prompt_id
                    from ({relation({"factor": "varchar"}, [(factor,) for factor in factors])})
                    cross join raw.prompts
                    where study_id = '{study.study_id}'
                """
            },
            unexpected="select factor, prompt_id from required anti join batch using (prompt_id, factor)",
            evaluated="select count(*) from required",
        ),
    ]

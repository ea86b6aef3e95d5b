"""What raw.prompt_factors must satisfy: every prompt lies in the groups that the study compares."""

from typing import Final

from great_expectations import ExpectationSuite
from great_expectations import expectations as gxe
from great_expectations.expectations import Expectation
from great_expectations.expectations.row_conditions import Column

from expectations.few_unexpected import suite_of
from expectations.keys import NOT_BLANK, filled, has_rows, unique
from expectations.record_rules import grouped_factors
from expectations.rules import Rule, few_unexpected, relation
from python_assets.study.factors import study_factors
from python_assets.study.study import Study

KEYS: Final = ("prompt_id", "factor")


def suite(study: Study) -> ExpectationSuite:
    """The expectations on raw.prompt_factors."""
    return suite_of(
        "prompt_factors",
        [
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


def _declared_levels(study: Study) -> list[Rule]:
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


def _grouped_levels(study: Study) -> list[Expectation | Rule]:
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
            severity="warning",
            description="every prompt has a level of every grouped factor; one without it is in no group",
            notes="give the prompt a level of the factor, or leave the factor out of groupings",
            relations={
                "required": f"""
                    select factor, prompt_id
                    from ({relation({"factor": "varchar"}, [(factor,) for factor in factors])})
                    cross join raw.prompts
                    where study_id = '{study.study_id}' and negative_control is null
                """
            },
            unexpected="select factor, prompt_id from required anti join batch using (prompt_id, factor)",
            evaluated="select count(*) from required",
        ),
    ]

"""What raw.prompts must satisfy: each prompt is asked once, as itself, and its branches are its own."""

from typing import Final

from great_expectations import ExpectationSuite
from great_expectations import expectations as gxe
from great_expectations.expectations import Expectation
from great_expectations.expectations.row_conditions import Column

from expectations.articles import fitting_articles
from expectations.few_unexpected import suite_of
from expectations.keys import NOT_BLANK, filled, has_rows, unique
from expectations.rules import Rule, few_removed, few_unexpected
from expectations.slots import only_slots_differ
from python_assets.study.prompts import OF_JUDGE
from python_assets.study.study import Study
from python_assets.texts.conversations import MESSAGES

KEYS: Final = ("prompt_id",)
# a pair that the study's own judge refused is no loss: to refuse is what it was asked for
_REMOVED: Final = f"stage = 'assemble' and rule not in {OF_JUDGE}"
# items that an engine wrote and that do not do are written anew
_REMOVED_ITEMS: Final = "stage = 'assemble' and rule = 'duplicate_key'"
_AGAIN: Final = "materialise the assemble stage again"


def suite(study: Study) -> ExpectationSuite:
    """The expectations on raw.prompts."""
    removed = _REMOVED_ITEMS if study.prompts.assemble.chosen_method == "written" else _REMOVED
    return suite_of(
        "prompts",
        [
            has_rows("prompts", "check the sources, templates or table that prompts names: they gave no prompt"),
            *filled("prompt_id", "root_prompt_id", "unit_id"),
            unique(*KEYS),
            *_texts(study),
            _messages_in_turns(),
            gxe.ExpectColumnValuesToBeInSet(
                column="task",
                value_set=["completion", "question"],
                description="task is completion or question, which decides how the model is asked",
                notes=_AGAIN,
            ),
            few_unexpected(
                "expect_one_root",
                ["root_prompt_id", "is_root"],
                description="of the prompts with the same root prompt exactly one is marked as the root",
                notes=_AGAIN,
                unexpected="""
                    select root_prompt_id, count(*) filter (where is_root) as n_roots, count(*) as n_prompts
                    from batch
                    group by root_prompt_id
                    having count(*) filter (where is_root) <> 1 and count(*) > count(negative_control)
                """,
                evaluated="select count(distinct root_prompt_id) from batch",
            ),
            *_baselines(),
            *_of_sentences(study),
            _distinct_prompts(study),
            *only_slots_differ(study),
            # what an import removes are rows of responses: responses.py
            *([] if study.prompts.import_ else [few_removed(study, removed, "critical")]),
        ],
    )


def _texts(study: Study) -> list[Expectation]:
    imported = study.prompts.import_
    notes = "fill the text in the template or the imported table"
    blank = gxe.ExpectColumnValuesToMatchRegex(
        column="prompt_text", regex=NOT_BLANK, description="prompt_text is not blank", notes=notes
    )
    if imported is not None and not imported.columns.tells_texts:
        return [blank]
    null = gxe.ExpectColumnValuesToNotBeNull(
        column="prompt_text", description="prompt_text is NULL only where an import has no such column", notes=notes
    )
    return [null, blank]


def _messages_in_turns() -> Rule:
    return few_unexpected(
        "expect_messages_in_turns",
        ["messages_json"],
        description="messages before a prompt are of user and assistant in turns, the last an answer, none blank",
        notes="mend the messages of the template or of the imported table",
        relations={
            "told": f"""
                select prompt_id, unnest({MESSAGES}) as message, generate_subscripts({MESSAGES}, 1) as place
                from batch
            """
        },
        unexpected="""
            select prompt_id, left(messages_json, 200) as messages_json
            from batch
            where messages_json is not null and (
                prompt_id not in (select prompt_id from told)
                or prompt_id in (
                    select prompt_id from told
                    where not coalesce(message.role = if(place % 2 = 1, 'user', 'assistant'), false)
                        or not coalesce(regexp_matches(message.content, '\\S'), false)
                )
                or prompt_id in (select prompt_id from told group by prompt_id having count(*) % 2 = 1)
            )
        """,
        evaluated="select count(*) from batch where messages_json is not null",
    )


def _baselines() -> list[Expectation]:
    notes = "fill the baseline in the template or the imported table, or leave it out"
    return [
        gxe.ExpectColumnValuesToMatchRegex(
            column="baseline_text", regex=NOT_BLANK, description="a baseline is not blank", notes=notes
        ),
        gxe.ExpectColumnValuesToNotBeNull(
            column="baseline_kind",
            row_condition=Column("baseline_text").is_not_null(),
            description="a baseline says of which kind it is",
            notes=notes,
        ),
        gxe.ExpectColumnValuesToNotBeNull(
            column="baseline_text",
            row_condition=Column("baseline_kind").is_not_null(),
            description="a kind of baseline stands beside a baseline",
            notes=notes,
        ),
    ]


def _of_sentences(study: Study) -> list[Rule]:
    if study.prompts.scrape is None:
        return []
    like_root = few_unexpected(
        "expect_branch_like_root",
        ["source_tag", "keyword", "document_id", "task"],
        description="a branch of a sentence keeps source tag, keyword, document and task of its root prompt",
        notes=_AGAIN,
        unexpected="""
            select b.prompt_id, b.root_prompt_id, b.source_tag, b.keyword, b.document_id, b.task
            from batch as b
            inner join batch as r on b.root_prompt_id = r.root_prompt_id and r.is_root and not b.is_root
            where b.source_tag <> r.source_tag
                or b.keyword <> r.keyword
                or b.document_id <> r.document_id
                or b.task <> r.task
        """,
        evaluated="select count(*) from batch where not is_root",
    )
    document = few_unexpected(
        "expect_a_document",
        ["document_id"],
        severity="warning",
        description="a prompt made of a sentence is of a document in raw.documents",
        notes=_AGAIN,
        unexpected="""
            select prompt_id, document_id from batch anti join raw.documents using (study_id, document_id)
        """,
    )
    is_english = study.prompts.scrape.language == "en"
    document_rules = [] if study.prompts.assemble.themes is not None else [document]
    return [like_root, *document_rules, *([fitting_articles()] if is_english else [])]


def _distinct_prompts(study: Study) -> Rule:
    return few_unexpected(
        "expect_distinct_prompts",
        ["messages_json", "prompt_text"],
        severity="warning",
        description="no two prompts have the same messages, the same text and the same levels",
        notes="remove the repeated prompt, or give repeated rows of an import a replicate",
        unexpected=f"""
            with levels as (
                select study_id, prompt_id, string_agg(factor || '=' || level, ';' order by factor) as levels
                from raw.prompt_factors
                where study_id = '{study.study_id}'
                group by study_id, prompt_id
            )

            select min(prompt_id) as prompt_id, count(*) as n_prompts, left(prompt_text, 200) as prompt_text
            from batch
            left join levels using (study_id, prompt_id)
            where prompt_text is not null
            group by batch.messages_json, batch.prompt_text, levels
            having count(*) > 1
        """,
    )

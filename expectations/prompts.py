"""What raw.prompts must satisfy: each prompt is asked once, as itself, and its branches are its own."""

from typing import Final

from expectations.articles import FITTING_ARTICLES
from expectations.rule import Rule, expect_few_removed, expect_filled, expect_rows, expect_unique_keys

TABLE: Final = "prompts"
AGAIN = "Materialise the assemble stage again."
RULES: Final[tuple[Rule, ...]] = (
    expect_rows(TABLE, "Check the sources, templates or table that prompts names: they gave no prompt."),
    expect_filled(("prompt_id", "root_prompt_id", "unit_id")),
    expect_unique_keys(("prompt_id",)),
    Rule(
        name="expect_prompt_text",
        columns="prompt_text",
        severity="critical",
        description="prompt_text is not blank; NULL only where an import has no such column",
        remedy="Fill the text in the template or the imported table.",
        unexpected="""
            select prompt_id, left(prompt_text, 200) as prompt_text
            from batch
            where not coalesce(regexp_matches(prompt_text, '\\S'), {allows_no_prompt_text})
        """,
    ),
    Rule(
        name="expect_task",
        columns="task",
        severity="critical",
        description="task is completion or question, which decides how the prompt is put to the model",
        remedy=AGAIN,
        unexpected="select prompt_id, task from batch where task not in ('completion', 'question')",
    ),
    Rule(
        name="expect_one_root",
        columns="root_prompt_id, is_root",
        severity="critical",
        description="of the prompts with the same root prompt exactly one is marked as the root",
        remedy=AGAIN,
        unexpected="""
            select root_prompt_id, count(*) filter (where is_root) as n_roots, count(*) as n_prompts
            from batch
            group by root_prompt_id
            having count(*) filter (where is_root) <> 1
        """,
        evaluated="select count(distinct root_prompt_id) from batch",
    ),
    Rule(
        name="expect_branch_like_root",
        columns="source_tag, keyword, document_id, task",
        severity="critical",
        description="a branch of a sentence keeps source tag, keyword, document and task of its root prompt",
        remedy=AGAIN,
        unexpected="""
            select b.prompt_id, b.root_prompt_id, b.source_tag, b.keyword, b.document_id, b.task
            from batch as b
            inner join batch as r on b.root_prompt_id = r.root_prompt_id and r.is_root and not b.is_root
            where {is_scrape}
                and (
                    b.source_tag <> r.source_tag
                    or b.keyword <> r.keyword
                    or b.document_id <> r.document_id
                    or b.task <> r.task
                )
        """,
        evaluated="select count(*) from batch where {is_scrape} and not is_root",
    ),
    Rule(
        name="expect_baseline_with_kind",
        columns="baseline_text, baseline_kind",
        severity="critical",
        description="a baseline is not blank and says of which kind it is",
        remedy="Fill the baseline in the template or the imported table, or leave it out.",
        unexpected="""
            select prompt_id, left(baseline_text, 200) as baseline_text, baseline_kind
            from batch
            where (baseline_text is null) <> (baseline_kind is null)
                or not regexp_matches(baseline_text, '\\S')
        """,
    ),
    Rule(
        name="expect_a_document",
        columns="document_id",
        severity="warning",
        description="a prompt made of a sentence is of a document in raw.documents",
        remedy=AGAIN,
        unexpected="""
            select prompt_id, document_id
            from batch
            where {is_scrape}
                and document_id not in (select document_id from raw.documents where study_id = '{study_id}')
        """,
        evaluated="select count(*) from batch where {is_scrape}",
    ),
    Rule(
        name="expect_distinct_prompts",
        columns="prompt_text",
        severity="warning",
        description="no two prompts have the same text and the same levels",
        remedy="Remove the repeated prompt, or give repeated rows of an import a replicate.",
        unexpected="""
            with levels as (
                select study_id, prompt_id, string_agg(factor || '=' || level, ';' order by factor) as levels
                from raw.prompt_factors
                where study_id = '{study_id}'
                group by study_id, prompt_id
            )

            select min(prompt_id) as prompt_id, count(*) as n_prompts, left(prompt_text, 200) as prompt_text
            from batch
            left join levels using (study_id, prompt_id)
            where prompt_text is not null
            group by batch.prompt_text, levels
            having count(*) > 1
        """,
    ),
    FITTING_ARTICLES,
    # what an import removes are rows of responses: responses.py
    expect_few_removed("stage = 'assemble' and not {is_import}", "critical"),
)

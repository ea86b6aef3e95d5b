"""What raw.responses must satisfy: every answer is to a known prompt, once, and says what became of it."""

from typing import Final

from expectations.rule import Rule, expect_few_removed, expect_filled, expect_rows, expect_unique_keys

TABLE: Final = "responses"
KEYS = "generation_id, prompt_id, replicate"
ASKED = """(
    select generation_id
    from raw.generations
    where study_id = '{study_id}' and not is_baseline and not is_engine
)"""
AGAIN = "Materialise the generate stage again; what is in the response log is not asked for again."
RULES: Final[tuple[Rule, ...]] = (
    expect_rows(TABLE, "Give the study a generation that answers."),
    expect_filled(("generation_id", "prompt_id", "response_id")),
    expect_unique_keys(("generation_id", "prompt_id", "replicate")),
    Rule(
        name="expect_replicate",
        columns="replicate",
        severity="critical",
        description="replicates are numbered from 0",
        remedy="Mend the replicate column of the imported table.",
        unexpected=f"select {KEYS} from batch where replicate < 0",
    ),
    Rule(
        name="expect_status",
        columns="status",
        severity="critical",
        description="status is ok, refused, empty, truncated or error",
        remedy=AGAIN,
        unexpected=f"""
            select {KEYS}, status
            from batch
            where status not in ('ok', 'refused', 'empty', 'truncated', 'error')
        """,
    ),
    Rule(
        name="expect_text_as_status_says",
        columns="status, response_text",
        severity="critical",
        description="ok, refused and truncated responses have a text, empty ones have no letter or digit",
        remedy=AGAIN,
        unexpected=f"""
            select {KEYS}, status, left(response_text, 200) as response_text
            from batch
            where (
                status in ('ok', 'refused', 'truncated')
                and not coalesce(regexp_matches(response_text, '\\S'), {{allows_no_response_text}})
            ) or (status = 'empty' and regexp_matches(response_text, '[\\p{{{{L}}}}\\p{{{{N}}}}]'))
        """,
    ),
    Rule(
        name="expect_error_as_status_says",
        columns="status, error",
        severity="critical",
        description="error holds what went wrong exactly where status is error",
        remedy=AGAIN,
        unexpected=f"""
            select {KEYS}, status, left(error, 200) as error
            from batch
            where (status = 'error') <> (coalesce(trim(error), '') <> '')
        """,
    ),
    Rule(
        name="expect_a_generation",
        columns="generation_id",
        severity="critical",
        description="every response is of a generation in raw.generations that answers prompts",
        remedy=AGAIN,
        unexpected=f"select {KEYS} from batch anti join {ASKED} as asked using (generation_id)",
    ),
    Rule(
        name="expect_a_prompt",
        columns="prompt_id",
        severity="critical",
        description="every response is to a prompt in raw.prompts",
        remedy="Add the prompts that were answered, or materialise the assemble stage again.",
        unexpected=f"select {KEYS} from batch anti join raw.prompts using (study_id, prompt_id)",
    ),
    Rule(
        name="expect_responses_of_every_generation",
        columns="generation_id",
        severity="critical",
        description="every generation answered something",
        remedy="Check its name against the imported table, or remove it from the study file.",
        unexpected=f"select generation_id from {ASKED} as asked anti join batch using (generation_id)",
        evaluated=f"select count(*) from {ASKED}",
    ),
    Rule(
        name="expect_responses_to_every_prompt",
        columns="prompt_id",
        severity="warning",
        description="every generation was asked every prompt",
        remedy="Materialise the generate stage again, or complete the imported table.",
        unexpected=f"""
            select generation_id, prompt_id
            from {ASKED} as asked
            cross join (select prompt_id from raw.prompts where study_id = '{{study_id}}') as p
            anti join batch using (generation_id, prompt_id)
        """,
        evaluated=f"""
            select count(*) * (select count(*) from {ASKED}) from raw.prompts where study_id = '{{study_id}}'
        """,
    ),
    Rule(
        name="expect_possible_usage",
        columns="latency_seconds, n_tokens_in, n_tokens_out",
        severity="warning",
        description="seconds are finite and, as numbers of tokens, not negative",
        remedy="Check what the server reports; these numbers enter no comparison.",
        unexpected=f"""
            select {KEYS}, latency_seconds, n_tokens_in, n_tokens_out
            from batch
            where latency_seconds < 0 or not isfinite(latency_seconds) or n_tokens_in < 0 or n_tokens_out < 0
        """,
    ),
    Rule(
        name="expect_few_errors",
        columns="status",
        severity="critical",
        description="in every generation at most a share of {max_error_share} of the responses is an error",
        remedy=f"Mend what the error texts say. {AGAIN} Or raise analysis.quality.max_error_share.",
        unexpected="""
            select
                generation_id,
                count(*) filter (where status = 'error') as n_errors,
                count(*) as n_responses,
                left(min(error) filter (where status = 'error'), 200) as error
            from batch
            group by generation_id
            having count(*) filter (where status = 'error') > {max_error_share} * count(*)
        """,
        evaluated="select count(distinct generation_id) from batch",
    ),
    expect_few_removed("stage = 'generate' or (stage = 'assemble' and {is_import})", "critical"),
)

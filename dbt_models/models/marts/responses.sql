with

responses as (
    select * from {{ ref('int_responses') }}
)

select
    study_id,
    system_id,
    prompt_id,
    replicate,
    response_id,
    response_text,
    status,
    outcome,
    outcome_version,
    is_refused,
    is_empty,
    is_truncated,
    is_declined,
    error,
    requested_at,
    latency_seconds,
    n_tokens_in,
    n_tokens_out,
    n_retries,
    failed_calls_json,
    served_model,
    context_json
from responses

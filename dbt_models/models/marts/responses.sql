with

responses as (
    select * from {{ source('raw', 'responses') }}
),

unreadable as (
    select study_id, system_id, prompt_id, replicate, true as is_foreign
    from {{ source('raw', 'measurements') }}
    where measure_id = 'refusal' and reason = 'other_language'
)

select
    study_id,
    system_id,
    prompt_id,
    replicate,
    response_id,
    response_text,
    status,
    if(is_foreign, 'unreadable', outcome) as outcome,
    outcome_version,
    if(is_foreign, null, is_refused) as is_refused,
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
left join unreadable using (study_id, system_id, prompt_id, replicate)

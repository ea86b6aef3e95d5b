with

responses as (
    select * from {{ source('raw', 'responses') }}
),

refusals as (
    select study_id, system_id, prompt_id, replicate, value as refusal, reason = 'other_language' as is_foreign
    from {{ source('raw', 'measurements') }}
    where measure_id = 'refusal'
)

select
    study_id,
    system_id,
    prompt_id,
    replicate,
    response_id,
    response_text,
    status,
    case
        when is_foreign then 'unreadable'
        when outcome = 'unreadable' and refusal = 0 then 'answered'
        else outcome
    end as outcome,
    outcome_version,
    case
        when is_foreign then null
        when outcome = 'unreadable' and refusal = 0 then false
        else is_refused
    end as is_refused,
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
left join refusals using (study_id, system_id, prompt_id, replicate)

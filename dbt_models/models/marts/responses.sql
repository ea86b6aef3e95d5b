-- One row per (study_id, generation_id, prompt_id, replicate).
with

responses as (
    select * from {{ source('raw', 'responses') }}
)

select
    study_id,
    generation_id,
    prompt_id,
    replicate,
    response_id,
    response_text,
    status,
    is_refused,
    is_empty,
    is_truncated,
    error,
    requested_at,
    latency_seconds,
    n_tokens_in,
    n_tokens_out,
    context_json
from responses

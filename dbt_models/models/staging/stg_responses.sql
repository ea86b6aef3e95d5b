select
    cast(study_id as string) as study_id,
    cast(generation_id as string) as generation_id,
    cast(prompt_id as string) as prompt_id,
    cast(replicate as integer) as replicate,
    cast(response_id as string) as response_id,
    cast(response_text as string) as response_text,
    cast(status as string) as status,
    cast(error as string) as error,
    cast(requested_at as timestamp) as requested_at,
    cast(latency_seconds as double) as latency_seconds,
    cast(n_tokens_in as integer) as n_tokens_in,
    cast(n_tokens_out as integer) as n_tokens_out,
    cast(context_json as string) as context_json
from {{ source('raw', 'responses') }}

with

generations as (
    select * from {{ source('raw', 'generations') }}
)

select
    study_id,
    generation_id,
    provider,
    model,
    model_family,
    model_digest,
    engine_version,
    role,
    template,
    extension,
    system_prompt,
    prompt_template,
    decoding_json,
    extensions_json,
    model_details_json,
    is_simulated,
    is_engine,
    is_baseline
from generations

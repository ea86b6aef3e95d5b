with

systems as (
    select * from {{ source('raw', 'systems') }}
)

select
    study_id,
    system_id,
    provider,
    model,
    model_family,
    model_digest,
    engine_version,
    system_prompt_name,
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
from systems

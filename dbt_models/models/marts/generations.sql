-- One row per (study_id, generation_id).
with

generations as (
    select * from {{ ref('stg_generations') }}
)

select
    study_id,
    generation_id,
    provider,
    model,
    model_digest,
    engine_version,
    system_prompt,
    prompt_template,
    decoding_json,
    extensions_json,
    model_details_json,
    is_simulated,
    is_baseline
from generations

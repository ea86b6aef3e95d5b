with

systems as (
    select * from {{ source('raw', 'systems') }}
),

versions as (
    select study_id, system_id, served_model, min(requested_at) as first_at
    from {{ source('raw', 'responses') }}
    where served_model is not null
    group by study_id, system_id, served_model
),

served as (
    select
        study_id,
        system_id,
        {{ joined_text('served_model', ', ', 'first_at, served_model') }} as served_models,
        count(*) as n_served_models
    from versions
    group by study_id, system_id
),

-- by its text: DuckDB refuses a context with a lone surrogate as JSON
fingerprints as (
    select
        study_id,
        system_id,
        nullif(regexp_extract(context_json, '"system_fingerprint"\s*:\s*"([^"\\]+)"', 1), '') as system_fingerprint,
        min(requested_at) as first_at
    from {{ source('raw', 'responses') }}
    group by study_id, system_id, system_fingerprint
),

fingerprinted as (
    select
        study_id,
        system_id,
        {{ joined_text('system_fingerprint', ', ', 'first_at, system_fingerprint') }} as system_fingerprints,
        count(*) as n_system_fingerprints
    from fingerprints
    where system_fingerprint is not null
    group by study_id, system_id
)

select
    study_id,
    system_id,
    provider,
    model,
    model_family,
    model_digest,
    engine_version,
    served_models,
    n_served_models,
    case when served_models is null then 'not_recorded' end as served_models_reason,
    system_fingerprints,
    n_system_fingerprints,
    case when system_fingerprints is null then 'not_recorded' end as system_fingerprints_reason,
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
left join served using (study_id, system_id)
left join fingerprinted using (study_id, system_id)

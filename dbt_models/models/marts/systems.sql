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

with

studies as (
    select * from {{ source('raw', 'studies') }} inner join {{ ref('int_looks') }} using (study_id)
),

prompts as (
    select
        study_id,
        count(*) as n_prompts,
        count(distinct root_prompt_id) as n_root_prompts,
        count(distinct case when negative_control is null then unit_id end) as n_units
    from {{ source('raw', 'prompts') }}
    group by study_id
),

responses as (
    select
        study_id,
        count(*) as n_responses,
        count(case when status = 'error' then 1 end) as n_errors,
        count(case when status = 'not_recorded' then 1 end) as n_not_recorded,
        count(case when is_refused then 1 end) as n_refused,
        count(case when is_empty then 1 end) as n_empty
    from {{ ref('responses') }}
    group by study_id
),

systems as (
    select
        study_id,
        count(*) as n_systems,
        count(case when is_simulated then 1 end) as n_simulated,
        {{ joined_text("system_id || coalesce(' (' || nullif(model, '') || ')', '')", ', ', 'system_id') }}
            as systems
    from {{ source('raw', 'systems') }}
    where not is_baseline and not is_engine
    group by study_id
),

measures as (
    select
        study_id,
        {{ joined_text("measure_id || ' (' || scorer || coalesce(', ' || nullif(model, ''), '')"
            ~ " || coalesce(' at ' || nullif(model_revision, ''), '') || ')'", '; ', 'measure_id') }} as measures
    from {{ source('raw', 'measures') }}
    group by study_id
),

sets_of_hypotheses as (
    select
        study_id,
        family_id,
        {{ family_position() }} as family_position,
        count(p_value) as n_tested,
        count(case when is_significant then 1 end) as n_significant
    from {{ ref('int_hypotheses') }}
    group by study_id, family_id
),

families as (
    select
        study_id,
        {{ joined_text("family_id || ', ' || cast(n_tested as string) || ' tested and ' || cast(n_significant as string)"
            ~ " || ' significant'", '; ', 'family_position, family_id') }} as families
    from sets_of_hypotheses
    group by study_id
),

tests_of_contrasts as (
    select study_id, test, count(*) as n_contrasts
    from {{ source('inference', 'contrasts') }}
    where p_value is not null
    group by study_id, test
),

tests as (
    select
        study_id,
        {{ joined_text("test || ' (' || cast(n_contrasts as string) || ')'", '; ', 'n_contrasts desc, test') }} as tests
    from tests_of_contrasts
    group by study_id
)

select
    studies.study_id,
    title,
    config_json,
    config_sha256,
    preregistered_at,
    plumbline_version,
    alpha,
    look,
    n_looks,
    n_root_prompts_asked,
    n_root_prompts_planned,
    significance_level,
    n_prompts,
    n_root_prompts,
    n_units,
    n_systems,
    n_simulated,
    systems,
    n_responses,
    n_errors,
    n_not_recorded,
    n_refused,
    n_empty,
    measures,
    families,
    tests
from studies
left join prompts using (study_id)
left join responses using (study_id)
left join systems using (study_id)
left join measures using (study_id)
left join families using (study_id)
left join tests using (study_id)

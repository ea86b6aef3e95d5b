with

studies as (
    select * from {{ source('raw', 'studies') }}
),

methods as (
    select * from {{ ref('int_methods') }}
),

looks as (
    select * from {{ ref('int_looks') }}
),

simulated as (
    select study_id
    from {{ source('raw', 'systems') }}
    where is_simulated
    group by study_id
)

select
    studies.study_id,
    title,
    domain,
    config_json,
    config_sha256,
    analysis_sha256,
    preregistered_at,
    plumbline_version,
    run_id,
    (has_stand_in or simulated.study_id is not null) as is_simulated,
    has_stand_in,
    looks.look,
    looks.n_looks,
    looks.n_root_prompts_asked,
    looks.n_root_prompts_planned,
    looks.significance_level,
    methods.methods,
    cast(null as timestamp) as published_at
from studies
left join simulated using (study_id)
inner join looks using (study_id)
left join methods using (study_id)

with

studies as (
    select * from {{ source('raw', 'studies') }}
),

methods as (
    select * from {{ ref('int_methods') }}
),

simulated as (
    select study_id
    from {{ source('raw', 'generations') }}
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
    analysis_frozen_at,
    plumbline_version,
    run_id,
    (has_stand_in or simulated.study_id is not null) as is_simulated,
    has_stand_in,
    methods.methods,
    cast(null as timestamp) as published_at
from studies
left join simulated using (study_id)
left join methods using (study_id)

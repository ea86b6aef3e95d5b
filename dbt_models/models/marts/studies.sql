-- One row per study_id. published_at is written at publish: a build file is not published.
with

studies as (
    select * from {{ source('raw', 'studies') }}
)

select
    study_id,
    title,
    domain,
    config_json,
    config_sha256,
    analysis_sha256,
    analysis_frozen_at,
    plumbline_version,
    run_id,
    is_simulated,
    cast(null as timestamp) as published_at
from studies

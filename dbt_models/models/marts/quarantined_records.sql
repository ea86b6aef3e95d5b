with

quarantine as (
    select * from {{ source('raw', 'quarantine') }}
)

select
    study_id,
    stage,
    record_key,
    rule,
    detail,
    record_json,
    quarantined_at
from quarantine

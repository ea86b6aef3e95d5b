select
    cast(study_id as string) as study_id,
    cast(stage as string) as stage,
    cast(record_key as string) as record_key,
    cast(rule as string) as rule,
    cast(detail as string) as detail,
    cast(record_json as string) as record_json,
    cast(quarantined_at as timestamp) as quarantined_at
from {{ source('raw', 'quarantine') }}

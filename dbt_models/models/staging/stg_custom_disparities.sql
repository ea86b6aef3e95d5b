select
    cast(study_id as string) as study_id,
    cast(metric as string) as metric,
    cast(expression as string) as expression
from {{ source('raw', 'custom_disparities') }}

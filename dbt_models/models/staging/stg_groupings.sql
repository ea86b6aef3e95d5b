select
    cast(study_id as string) as study_id,
    cast(grouping_id as string) as grouping_id,
    cast(grouping_position as integer) as grouping_position,
    cast(factor as string) as factor,
    cast(factor_position as integer) as factor_position
from {{ source('raw', 'groupings') }}

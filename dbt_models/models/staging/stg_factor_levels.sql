select
    cast(study_id as string) as study_id,
    cast(factor as string) as factor,
    cast(level as string) as level,
    cast(level_position as integer) as level_position
from {{ source('raw', 'factor_levels') }}

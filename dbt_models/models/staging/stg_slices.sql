select
    cast(study_id as string) as study_id,
    cast(slice_id as string) as slice_id,
    cast(factor as string) as factor,
    cast(level as string) as level
from {{ source('raw', 'slices') }}

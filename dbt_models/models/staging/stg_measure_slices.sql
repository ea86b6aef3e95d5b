select
    cast(study_id as string) as study_id,
    cast(measure_id as string) as measure_id,
    cast(slice_id as string) as slice_id
from {{ source('raw', 'measure_slices') }}

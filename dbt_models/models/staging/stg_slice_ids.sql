select
    cast(study_id as string) as study_id,
    cast(slice_id as string) as slice_id
from {{ source('raw', 'slice_ids') }}

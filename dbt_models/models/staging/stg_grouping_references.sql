select
    cast(study_id as string) as study_id,
    cast(grouping_id as string) as grouping_id,
    cast(reference as string) as reference,
    cast(reference_group as string) as reference_group
from {{ source('raw', 'grouping_references') }}

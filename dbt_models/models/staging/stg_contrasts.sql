select
    cast(study_id as string) as study_id,
    cast(contrast as string) as contrast
from {{ source('raw', 'contrasts') }}

select
    cast(study_id as string) as study_id,
    cast(prompt_id as string) as prompt_id,
    cast(factor as string) as factor,
    cast(level as string) as level
from {{ source('raw', 'prompt_factors') }}

select
    cast(study_id as string) as study_id,
    cast(level as string) as level,
    cast(keyword as string) as keyword,
    cast(keyword_type as string) as keyword_type,
    cast(keyword_provider as string) as keyword_provider,
    cast(score as double) as score
from {{ source('raw', 'keywords') }}

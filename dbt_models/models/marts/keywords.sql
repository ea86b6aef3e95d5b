with

keywords as (
    select * from {{ source('raw', 'keywords') }}
)

select
    study_id,
    level,
    keyword,
    keyword_type,
    keyword_provider,
    score
from keywords

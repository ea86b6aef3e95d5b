select
    cast(study_id as string) as study_id,
    cast(sentence_id as string) as sentence_id,
    cast(document_id as string) as document_id,
    cast(source_tag as string) as source_tag,
    cast(level as string) as level,
    cast(keyword as string) as keyword,
    cast(sentence_text as string) as sentence_text,
    cast(dropped_reason as string) as dropped_reason
from {{ source('raw', 'sentences') }}

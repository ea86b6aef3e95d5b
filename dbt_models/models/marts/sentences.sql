with

sentences as (
    select * from {{ source('raw', 'sentences') }}
),

outcomes as (
    select study_id, sentence_id, dropped_reason as not_assembled_because, portability, portability_words
    from {{ source('raw', 'sentence_outcomes') }}
)

select
    study_id,
    sentence_id,
    document_id,
    keyword,
    sentence_text,
    coalesce(dropped_reason, not_assembled_because) as dropped_reason,
    portability,
    portability_words
from sentences
left join outcomes using (study_id, sentence_id)

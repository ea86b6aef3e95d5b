-- One row per (study_id, sentence_id).
with

sentences as (
    select * from {{ source('raw', 'sentences') }}
)

select
    study_id,
    sentence_id,
    document_id,
    keyword,
    sentence_text,
    dropped_reason
from sentences

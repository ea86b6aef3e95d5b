with

documents as (
    select * from {{ source('raw', 'documents') }}
)

select
    study_id,
    document_id,
    source_tag,
    source_type,
    uri,
    revision,
    revised_at,
    retrieved_at,
    licence,
    sha256
from documents

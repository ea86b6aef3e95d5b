select
    cast(study_id as string) as study_id,
    cast(document_id as string) as document_id,
    cast(source_tag as string) as source_tag,
    cast(source_type as string) as source_type,
    cast(uri as string) as uri,
    cast(revision as string) as revision,
    cast(revised_at as timestamp) as revised_at,
    cast(retrieved_at as timestamp) as retrieved_at,
    cast(licence as string) as licence,
    cast(sha256 as string) as sha256,
    cast(document_text as string) as document_text
from {{ source('raw', 'documents') }}

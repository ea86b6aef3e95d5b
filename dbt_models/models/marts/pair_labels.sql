with

pair_labels as (
    select * from {{ source('raw', 'pair_labels') }}
)

select
    study_id,
    prompt_id,
    root_prompt_id,
    rater,
    is_automatic,
    label,
    is_minimal_pair,
    reason,
    file_name,
    file_row
from pair_labels

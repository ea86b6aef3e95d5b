with

human_labels as (
    select * from {{ source('raw', 'human_labels') }}
)

select
    study_id,
    measure_id,
    response_id,
    rater,
    is_automatic,
    label,
    value,
    reason,
    file_name,
    file_row
from human_labels

with

data_quality as (
    select * from {{ source('raw', 'data_quality') }}
)

select
    study_id,
    run_id,
    table_name,
    expectation,
    column_name,
    severity,
    success,
    n_evaluated,
    n_unexpected,
    unexpected_share,
    examples_json,
    checked_at
from data_quality

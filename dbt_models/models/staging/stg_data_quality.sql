select
    cast(study_id as string) as study_id,
    cast(run_id as string) as run_id,
    cast(table_name as string) as table_name,
    cast(expectation as string) as expectation,
    cast(column_name as string) as column_name,
    cast(severity as string) as severity,
    cast(success as boolean) as success,
    cast(n_evaluated as bigint) as n_evaluated,
    cast(n_unexpected as bigint) as n_unexpected,
    cast(unexpected_share as double) as unexpected_share,
    cast(examples_json as string) as examples_json,
    cast(checked_at as timestamp) as checked_at
from {{ source('raw', 'data_quality') }}

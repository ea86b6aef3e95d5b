select
    cast(study_id as string) as study_id,
    cast(factors as string) as factors,
    cast(factor as string) as factor,
    cast(factor_position as integer) as factor_position
from {{ source('raw', 'coverage_sets') }}

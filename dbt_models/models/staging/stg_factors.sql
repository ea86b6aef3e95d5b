select
    cast(study_id as string) as study_id,
    cast(factor as string) as factor,
    cast(factor_type as string) as factor_type,
    cast(definition as string) as definition,
    cast(reference_level as string) as reference_level,
    cast(origin as string) as origin,
    cast(is_blocking as boolean) as is_blocking
from {{ source('raw', 'factors') }}

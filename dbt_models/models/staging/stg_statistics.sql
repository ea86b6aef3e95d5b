select
    cast(study_id as string) as study_id,
    cast(statistic as string) as statistic,
    cast(parameters as string) as parameters,
    cast(standard as string) as standard,
    cast(method as string) as method,
    cast(standard_value as double) as standard_value
from {{ source('raw', 'statistics') }}

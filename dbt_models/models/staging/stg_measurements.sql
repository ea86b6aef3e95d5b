select
    cast(study_id as string) as study_id,
    cast(generation_id as string) as generation_id,
    cast(prompt_id as string) as prompt_id,
    cast(replicate as integer) as replicate,
    cast(measure_id as string) as measure_id,
    cast(value as double) as value,
    cast(baseline_value as double) as baseline_value,
    cast(label as string) as label,
    cast(label_method as string) as label_method,
    cast(extractor_version as string) as extractor_version,
    cast(reason as string) as reason
from {{ source('raw', 'measurements') }}

select
    cast(study_id as string) as study_id,
    cast(slice_id as string) as slice_id,
    cast(generation_id as string) as generation_id,
    cast(measure_id as string) as measure_id,
    cast(calibration as string) as calibration,
    cast(grouping_id as string) as grouping_id,
    cast(group_id as string) as group_id,
    cast(category as string) as category,
    cast(statistic as string) as statistic,
    cast(parameters as string) as parameters,
    cast(ci_low as double) as ci_low,
    cast(ci_high as double) as ci_high,
    cast(n_root_prompts as bigint) as n_root_prompts,
    cast(inference_reason as string) as inference_reason
from {{ source('inference', 'summary_statistics') }}

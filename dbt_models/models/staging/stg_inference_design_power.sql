select
    cast(study_id as string) as study_id,
    cast(grouping_id as string) as grouping_id,
    cast(measure_id as string) as measure_id,
    cast(contrast as string) as contrast,
    cast(source as string) as source,
    cast(n_root_prompts as bigint) as n_root_prompts,
    cast(baseline_rate_or_sd as double) as baseline_rate_or_sd,
    cast(minimum_detectable_effect as double) as minimum_detectable_effect,
    cast(effect as double) as effect,
    cast(n_needed as bigint) as n_needed,
    cast(n_calls as bigint) as n_calls,
    cast(reason as string) as reason
from {{ source('inference', 'design_power') }}

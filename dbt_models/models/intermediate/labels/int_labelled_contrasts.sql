{% set keys = 'study_id, slice_id, system_id, measure_id, calibration, grouping_id' %}
with

inference as (
    select * from {{ source('inference', 'contrasts') }} where {{ is_of_labels('calibration') }}
),

metrics as (
    select * from {{ ref('metrics') }} where of = 'contrasts'
)

select
    {{ keys }},
    inference.statistic,
    inference.parameters,
    group_id,
    inference.contrast,
    inference.category,
    inference.reference,
    inference.value_cells as value,
    cast(null as double) as value_responses,
    coalesce(labelled_groups.n_responses, 0) as n_responses,
    inference.n_root_prompts,
    case when inference.value_cells is null then coalesce(inference.inference_reason, 'no_values') end as reason,
    coalesce(metrics.is_tested, false) as is_tested
from inference
left join {{ ref('int_labelled_groups') }} as labelled_groups using ({{ keys }}, group_id)
left join metrics on inference.contrast = metrics.name

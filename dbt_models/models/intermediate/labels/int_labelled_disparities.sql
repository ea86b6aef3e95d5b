{% set keys = 'study_id, slice_id, system_id, measure_id, calibration, grouping_id' %}
with

inference as (
    select * from {{ source('inference', 'disparities') }} where {{ is_of_labels('calibration') }}
),

labelled_groups as (
    select
        {{ keys }},
        min(case when value = value_min then group_id end) as group_low,
        min(case when value = value_max then group_id end) as group_high,
        count(case when value = value_min then 1 end) as n_low,
        count(case when value = value_max then 1 end) as n_high,
        max(n_groups) as n_groups,
        cast(sum(n_responses) as bigint) as n_responses
    from {{ ref('int_labelled_groups') }}
    group by {{ keys }}
)

select
    {{ keys }},
    inference.statistic,
    inference.parameters,
    inference.parameters as statistic_parameters,
    inference.metric,
    inference.value_cells as value,
    labelled_groups.group_low,
    labelled_groups.group_high,
    labelled_groups.n_low,
    labelled_groups.n_high,
    labelled_groups.n_groups,
    labelled_groups.n_responses,
    inference.n_root_prompts,
    case when inference.value_cells is null then coalesce(inference.inference_reason, 'no_values') end as reason,
    true as is_tested
from inference
inner join labelled_groups using ({{ keys }})

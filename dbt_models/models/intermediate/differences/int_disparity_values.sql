{{ config(materialized='view') }}
{% set keys = ['study_id', 'slice_id', 'generation_id', 'measure_id', 'calibration', 'grouping_id'] %}
{% set columns = keys + [
    'statistic', 'parameters', 'statistic_parameters', 'metric', 'value', 'group_low', 'group_high', 'n_low', 'n_high',
    'n_groups', 'n_responses', 'n_root_prompts', 'reason'
] %}
with

of_metrics as (
    {{ union_of_metrics('disparities') }}
),

labelled_groups as (
    select
        {{ keys | join(', ') }},
        min(case when value = value_min then group_id end) as group_low,
        min(case when value = value_max then group_id end) as group_high,
        count(case when value = value_min then 1 end) as n_low,
        count(case when value = value_max then 1 end) as n_high,
        max(n_groups) as n_groups,
        cast(sum(n_responses) as bigint) as n_responses
    from {{ ref('int_labelled_groups') }}
    group by {{ keys | join(', ') }}
),

-- of values that people's labels make, which no cell of SQL holds
of_labels as (
    select
        {{ keys | join(', ') }},
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
        case when inference.value_cells is null then coalesce(inference.inference_reason, 'no_values') end as reason
    from {{ source('inference', 'disparities') }} as inference
    inner join labelled_groups using ({{ keys | join(', ') }})
    where {{ is_of_labels('inference.calibration') }}
),

disparities as (
    select {{ columns | join(', ') }} from of_metrics
    union all
    select {{ columns | join(', ') }} from of_labels
),

metrics as (
    select * from {{ ref('metrics') }} where of = 'disparities'
)

select
    disparities.*,
    coalesce(metrics.is_tested, false) and {{ is_tested_statistic('disparities.parameters') }} as is_tested
from disparities
left join metrics on disparities.metric = metrics.name

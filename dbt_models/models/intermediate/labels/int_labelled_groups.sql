{% set keys = 'study_id, slice_id, system_id, measure_id, calibration, grouping_id' %}
{% set place = 'study_id, slice_id, system_id, measure_id, grouping_id, group_id' %}
with

made as (
    select {{ keys }}, group_id, value, std_error, ci_low, ci_high, n_root_prompts, scope, inference_reason
    from {{ source('inference', 'summary_statistics') }}
    where {{ is_of_labels('calibration') }}
),

read_answers as (
    select {{ place }}, n_responses, n_missing
    from {{ ref('int_group_statistics') }}
    where calibration = 'raw' and category = ''
),

labelled as (
    select
        prompt_groups.study_id,
        prompt_groups.slice_id,
        answers.system_id,
        answers.measure_id,
        prompt_groups.grouping_id,
        prompt_groups.group_id,
        count(answers.y) as n_labelled,
        count(case when 2 * answers.y > 1 then 1 end) as n_events,
        count(case when 2 * answers.y < 1 then 1 end) as n_others
    from {{ ref('int_labelled_answers') }} as answers
    inner join {{ ref('int_prompt_groups') }} as prompt_groups using (study_id, prompt_id)
    where answers.m is not null
    group by
        prompt_groups.study_id,
        prompt_groups.slice_id,
        answers.system_id,
        answers.measure_id,
        prompt_groups.grouping_id,
        prompt_groups.group_id
),

counted as (
    select
        made.*,
        cast(
            case made.calibration
                when 'corrected' then coalesce(read_answers.n_responses, 0)
                when 'missed' then coalesce(labelled.n_events, 0)
                when 'false_alarm' then coalesce(labelled.n_others, 0)
                else coalesce(labelled.n_labelled, 0)
            end as bigint
        ) as n_responses,
        cast(case when made.calibration = 'corrected' then coalesce(read_answers.n_missing, 0) else 0 end as bigint)
            as n_missing
    from made
    left join read_answers using ({{ place }})
    left join labelled using ({{ place }})
)

select
    *,
    max(value) over of_grouping as value_max,
    min(value) over of_grouping as value_min,
    count(value) over of_grouping as n_groups
from counted
window of_grouping as (partition by {{ keys }})

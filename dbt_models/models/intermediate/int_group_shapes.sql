-- One row per (outcome_position, layout_position, group_position): skewness and kurtosis of a group, where its study
-- asks for them. Powers are of the distance from the mean of the group, so that large means lose no digits.
with

outcome_values as (
    select * from {{ ref('int_outcome_values') }}
),

prompt_groups as (
    select * from {{ ref('int_prompt_groups') }}
),

statistics as (
    select * from {{ ref('stg_statistics') }}
),

asked as (
    select study_id
    from statistics
    where statistic in ('skewness', 'kurtosis')
    group by study_id
),

grouped as (
    select
        outcome_values.outcome_position,
        prompt_groups.layout_position,
        prompt_groups.group_position,
        outcome_values.x
    from outcome_values
    inner join prompt_groups
        on outcome_values.study_id = prompt_groups.study_id
        and outcome_values.prompt_id = prompt_groups.prompt_id
    inner join asked on prompt_groups.study_id = asked.study_id
),

centres as (
    select
        outcome_position,
        layout_position,
        group_position,
        avg(x) as centre,
        {{ has_one_value('max(x)', 'min(x)') }} as is_constant
    from grouped
    group by outcome_position, layout_position, group_position
),

sums as (
    select
        grouped.outcome_position,
        grouped.layout_position,
        grouped.group_position,
        centres.is_constant,
        count(*) as n,
        {% for power, name in [(2, 'squares'), (3, 'cubes'), (4, 'fourths')] %}
        sum(power(grouped.x - centres.centre, {{ power }})) as {{ name }}{{ ',' if not loop.last }}
        {% endfor %}
    from grouped
    inner join centres
        on grouped.outcome_position = centres.outcome_position
        and grouped.layout_position = centres.layout_position
        and grouped.group_position = centres.group_position
    group by grouped.outcome_position, grouped.layout_position, grouped.group_position, centres.is_constant
)

select
    outcome_position,
    layout_position,
    group_position,
    case when n > 2 and not is_constant then {{ skewness('n', 'squares', 'cubes') }} end as skewness,
    case when n > 3 and not is_constant then {{ kurtosis('n', 'squares', 'fourths') }} end as kurtosis
from sums

-- One row per (comparison_position, group_position, scale, prompt_id, replicate): every value with its group, as it is
-- (scale ''), and normalised by the mean and standard deviation of its generation or of all, where a study asks for it.
-- The baseline is put on the scale of x, so that the two can be compared.
{{ config(materialized='view') }}
with

outcome_values as (
    select * from {{ ref('int_outcome_values') }}
),

prompt_groups as (
    select * from {{ ref('int_prompt_groups') }}
),

comparisons as (
    select * from {{ ref('int_comparisons') }}
),

ranges as (
    select * from {{ ref('int_value_ranges') }}
),

scales as (
    select * from {{ ref('int_normal_scales') }} where spread is not null
),

placed as (
    select
        comparisons.comparison_position,
        comparisons.slice_id,
        comparisons.outcome_position,
        prompt_groups.group_position,
        outcome_values.x,
        outcome_values.baseline,
        ranges.value_low,
        ranges.value_high
    from outcome_values
    inner join prompt_groups
        on outcome_values.study_id = prompt_groups.study_id
        and outcome_values.prompt_id = prompt_groups.prompt_id
    inner join comparisons
        on outcome_values.outcome_position = comparisons.outcome_position
        and prompt_groups.layout_position = comparisons.layout_position
    left join ranges
        on comparisons.slice_id = ranges.slice_id
        and comparisons.outcome_position = ranges.outcome_position
)

select comparison_position, group_position, '' as scale, x, baseline, value_low, value_high
from placed
union all
select
    placed.comparison_position,
    placed.group_position,
    scales.normalise_over as scale,
    {% for column in ['x', 'baseline', 'value_low', 'value_high'] %}
    {{ normalised('placed.' ~ column, 'scales.centre', 'scales.spread') }} as {{ column }}{{ ',' if not loop.last }}
    {% endfor %}
from placed
inner join scales
    on placed.slice_id = scales.slice_id
    and placed.outcome_position = scales.outcome_position

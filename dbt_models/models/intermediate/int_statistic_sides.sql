-- One row per (comparison_position, is_paired, group_position, is_own, prompt_id, replicate): the responses that the
-- difference of a statistic between a group and the rest compares, where a study asks for one: those of the blocks, in
-- nested groupings of the strata, in which the group meets another. is_paired: of pairs with a baseline alone.
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

statistics as (
    select * from {{ source('raw', 'statistics') }}
),

contrasts as (
    select * from {{ source('raw', 'contrasts') }}
),

ranges as (
    select * from {{ ref('int_value_ranges') }}
),

asked as (
    select statistics.study_id, statistics.is_paired
    from contrasts
    inner join statistics
        on contrasts.study_id = statistics.study_id
        and contrasts.contrast = statistics.statistic || '_difference'
    where statistics.statistic not in ('mean', 'selection_rate', 'precision')
    group by statistics.study_id, statistics.is_paired
),

placed as (
    select
        comparisons.comparison_position,
        asked.is_paired,
        prompt_groups.group_position,
        coalesce(prompt_groups.stratum_position, prompt_groups.block_position) as block_position,
        outcome_values.prompt_id,
        outcome_values.replicate,
        outcome_values.x,
        outcome_values.baseline,
        ranges.value_low,
        ranges.value_high
    from outcome_values
    inner join comparisons
        on outcome_values.outcome_position = comparisons.outcome_position
        and comparisons.kind in ('continuous', 'binary')
    inner join asked
        on comparisons.study_id = asked.study_id
        and (outcome_values.baseline is not null or not asked.is_paired)
    inner join prompt_groups
        on comparisons.layout_position = prompt_groups.layout_position
        and outcome_values.prompt_id = prompt_groups.prompt_id
    left join ranges
        on comparisons.slice_id = ranges.slice_id
        and comparisons.outcome_position = ranges.outcome_position
),

members as (
    select
        comparison_position,
        is_paired,
        block_position,
        group_position,
        count(*) over (partition by comparison_position, is_paired, block_position) as n_groups
    from placed
    group by comparison_position, is_paired, block_position, group_position
)

select
    placed.comparison_position,
    placed.is_paired,
    members.group_position,
    placed.group_position = members.group_position as is_own,
    placed.prompt_id,
    placed.replicate,
    placed.x,
    placed.baseline,
    placed.value_low,
    placed.value_high
from placed
inner join members
    on placed.comparison_position = members.comparison_position
    and placed.is_paired = members.is_paired
    and placed.block_position = members.block_position
    and members.n_groups > 1

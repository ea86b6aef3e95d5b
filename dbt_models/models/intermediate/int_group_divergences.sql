-- One row per (outcome_position, layout_position, group_position): KL divergence of the values of a group from their
-- baselines, in nats, where its study asks for it. Both are counted over the same pairs and in the same bins, whose
-- edges are those of the slice; a bin without any adds nothing, since both sides have n pairs. Source: metrics.md 2.
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

asked as (
    select * from {{ ref('stg_statistics') }} where statistic = 'kl_divergence'
),

edges as (
    select comparisons.outcome_position, comparisons.layout_position, ranges.value_low, ranges.value_high
    from comparisons
    inner join ranges
        on comparisons.slice_id = ranges.slice_id
        and comparisons.outcome_position = ranges.outcome_position
    inner join asked on comparisons.study_id = asked.study_id
),

binned as (
    select
        outcome_values.outcome_position,
        prompt_groups.layout_position,
        prompt_groups.group_position,
        {{ bin_of('outcome_values.x') }} as bin_of_x,
        {{ bin_of('outcome_values.baseline') }} as bin_of_baseline
    from outcome_values
    inner join prompt_groups
        on outcome_values.study_id = prompt_groups.study_id
        and outcome_values.prompt_id = prompt_groups.prompt_id
    inner join edges
        on outcome_values.outcome_position = edges.outcome_position
        and prompt_groups.layout_position = edges.layout_position
    where outcome_values.baseline is not null
),

sides as (
    select outcome_position, layout_position, group_position, bin_of_x as bin, 1 as is_x from binned
    union all
    select outcome_position, layout_position, group_position, bin_of_baseline as bin, 0 as is_x from binned
),

counts as (
    select
        outcome_position,
        layout_position,
        group_position,
        sum(is_x) as n_pairs,
        sum(is_x) + {{ kl_bins().smoothing }} as n_x,
        count(*) - sum(is_x) + {{ kl_bins().smoothing }} as n_baseline
    from sides
    group by outcome_position, layout_position, group_position, bin
)

select
    outcome_position,
    layout_position,
    group_position,
    sum(n_x * ln(n_x / n_baseline)) / (sum(n_pairs) + {{ kl_bins().n * kl_bins().smoothing }}) as kl_divergence
from counts
group by outcome_position, layout_position, group_position

with

outcomes as (
    select * from {{ ref('int_outcomes') }} where kind = 'binary' and system_id <> 'all'
),

outcome_values as (
    select * from {{ ref('int_outcome_values') }}
),

prompt_slices as (
    select * from {{ ref('int_prompt_slices') }}
),

units as (
    select study_id, prompt_id, unit_id from {{ source('raw', 'prompts') }} where negative_control is null
),

measure_slices as (
    select * from {{ source('raw', 'measure_slices') }}
),

levels as (
    select *
    from {{ source('raw', 'prompt_factors') }}
    inner join {{ source('raw', 'factor_levels') }} using (study_id, factor, level)
),

grouped as (
    {{ grouped_prompts('subgroup_sets', 'levels') }}
),

every_prompt as (
    select study_id, grouping_id, prompt_id, group_id from grouped
    union all
    select study_id, '' as grouping_id, prompt_id, '' as group_id from units
),

members as (
    select study_id, slice_id, grouping_id, group_id, prompt_position, unit_id
    from every_prompt
    inner join prompt_slices using (study_id, prompt_id)
    inner join units using (study_id, prompt_id)
),

measured as (
    select outcomes.study_id, outcome_position, slice_id
    from outcomes
    inner join measure_slices using (study_id, measure_id)
),

prompt_sums as (
    select
        outcome_position,
        prompt_position,
        count(x) as n,
        cast(coalesce(sum(x), 0) as bigint) as k,
        count(*) - count(x) as n_missing
    from outcome_values
    inner join outcomes using (outcome_position)
    group by outcome_position, prompt_position
)

select
    outcome_position,
    slice_id,
    grouping_id,
    group_id,
    unit_id,
    cast(coalesce(sum(n), 0) as bigint) as n,
    cast(coalesce(sum(k), 0) as bigint) as k,
    cast(coalesce(sum(n_missing), 0) as bigint) as n_missing
from measured
inner join members using (study_id, slice_id)
left join prompt_sums using (outcome_position, prompt_position)
group by outcome_position, slice_id, grouping_id, group_id, unit_id

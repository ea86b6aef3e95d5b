with

regressions as (
    select * from {{ source('raw', 'regressions') }}
),

outcomes as (
    select * from {{ ref('int_outcomes') }} where kind = 'binary'
),

systems as (
    select * from {{ source('raw', 'systems') }} where not is_baseline
),

outcome_values as (
    select * from {{ ref('int_outcome_values') }}
),

prompt_slices as (
    select * from {{ ref('int_prompt_slices') }}
),

units as (
    select study_id, prompt_id, unit_id, unit_id = root_prompt_id as unit_is_root_prompt
    from {{ source('raw', 'prompts') }}
    where negative_control is null
),

levels as (
    select *
    from {{ source('raw', 'prompt_factors') }}
    inner join {{ source('raw', 'factor_levels') }} using (study_id, factor, level)
),

grouped as (
    {{ grouped_prompts('regression_sets', 'levels') }}
),

members as (
    select
        regressions.study_id,
        regressions.regression_id,
        regressions.slice_id,
        regressions.measure_id,
        prompt_slices.prompt_position,
        units.unit_id,
        units.unit_is_root_prompt,
        coalesce(grouped.group_id, '') as group_id
    from regressions
    inner join prompt_slices using (study_id, slice_id)
    inner join units using (study_id, prompt_id)
    left join grouped
        on regressions.study_id = grouped.study_id
        and regressions.regression_id = grouped.grouping_id
        and prompt_slices.prompt_id = grouped.prompt_id
    -- a prompt without a level of every factor is in no regression
    where regressions.n_prompt_factors = 0 or grouped.group_id is not null
),

prompt_sums as (
    select outcome_position, prompt_position, count(x) as n, coalesce(sum(x), 0) as k
    from outcome_values
    inner join outcomes using (outcome_position)
    group by outcome_position, prompt_position
)

select
    members.study_id,
    members.regression_id,
    members.slice_id,
    members.measure_id,
    outcomes.system_id,
    members.unit_id,
    members.group_id,
    bool_and(members.unit_is_root_prompt) as unit_is_root_prompt,
    cast(coalesce(sum(n), 0) as bigint) as n_responses,
    cast(coalesce(sum(k), 0) as bigint) as n_events
from members
inner join outcomes using (study_id, measure_id)
inner join systems using (study_id, system_id)
left join prompt_sums using (outcome_position, prompt_position)
group by
    members.study_id,
    members.regression_id,
    members.slice_id,
    members.measure_id,
    outcomes.system_id,
    members.unit_id,
    members.group_id

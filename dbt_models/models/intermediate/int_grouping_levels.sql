-- One row per (study_id, grouping_id, prompt_id): the group a prompt belongs to, and its levels of the other factors.
-- A prompt without a level of every factor of the grouping belongs to none of its groups.
-- group_key orders groups factor by factor in declared order: positions, padded so that text order is their order.
with

groupings as (
    select * from {{ source('raw', 'groupings') }}
),

levels as (
    select * from {{ source('raw', 'factor_levels') }}
),

prompt_factors as (
    select * from {{ source('raw', 'prompt_factors') }}
),

outside_levels as (
    {{ outside_levels() }}
),

sizes as (
    select study_id, grouping_id, count(*) as n_factors
    from groupings
    group by study_id, grouping_id
),

inside as (
    select
        study_id,
        grouping_id,
        prompt_id,
        {{ joined_text('level', ' x ', 'factor_position') }} as group_id,
        {{ joined_text("lpad(cast(level_position as string), 9, '0')", '.', 'factor_position') }} as group_key,
        count(*) as n_factors
    from groupings
    inner join prompt_factors using (study_id, factor)
    inner join levels using (study_id, factor, level)
    group by study_id, grouping_id, prompt_id
),

outside as (
    select study_id, grouping_id, prompt_id, {{ joined_text("factor || ' = ' || level", ', ', 'factor') }} as outside_levels
    from outside_levels
    group by study_id, grouping_id, prompt_id
)

select
    study_id,
    grouping_id,
    prompt_id,
    group_id,
    group_key,
    coalesce(outside.outside_levels, '') as outside_levels
from inside
inner join sizes using (study_id, grouping_id, n_factors)
left join outside using (study_id, grouping_id, prompt_id)

-- One row per (study_id, grouping_id, prompt_id): the group a prompt belongs to, and what its block is besides.
-- A prompt without a level of every factor of the grouping belongs to none of its groups.
-- group_key orders groups factor by factor in declared order: positions, padded so that text order is their order.
with

groupings as (
    select * from {{ source('raw', 'groupings') }}
),

outside_levels as (
    select * from {{ ref('int_outside_levels') }}
),

levels as (
    select * from {{ ref('int_factor_levels') }}
),

prompt_factors as (
    select * from {{ source('raw', 'prompt_factors') }}
),

sizes as (
    select study_id, grouping_id, count(*) as n_factors
    from groupings
    group by study_id, grouping_id
),

inside as (
    select
        groupings.study_id,
        groupings.grouping_id,
        prompt_factors.prompt_id,
        {{ joined_text('prompt_factors.level', ' x ', 'groupings.factor_position') }} as group_id,
        {{ joined_text("lpad(cast(levels.level_position as string), 9, '0')", '.', 'groupings.factor_position') }}
            as group_key,
        count(*) as n_factors
    from groupings
    inner join prompt_factors
        on groupings.study_id = prompt_factors.study_id
        and groupings.factor = prompt_factors.factor
    inner join levels
        on prompt_factors.study_id = levels.study_id
        and prompt_factors.factor = levels.factor
        and prompt_factors.level = levels.level
    group by groupings.study_id, groupings.grouping_id, prompt_factors.prompt_id
),

outside as (
    select
        study_id,
        grouping_id,
        prompt_id,
        {{ joined_text("factor || ' = ' || level", ', ', 'factor') }} as block_levels
    from outside_levels
    group by study_id, grouping_id, prompt_id
)

select
    inside.study_id,
    inside.grouping_id,
    inside.prompt_id,
    inside.group_id,
    inside.group_key,
    coalesce(outside.block_levels, '') as block_levels
from inside
inner join sizes
    on inside.study_id = sizes.study_id
    and inside.grouping_id = sizes.grouping_id
    and inside.n_factors = sizes.n_factors
left join outside
    on inside.study_id = outside.study_id
    and inside.grouping_id = outside.grouping_id
    and inside.prompt_id = outside.prompt_id

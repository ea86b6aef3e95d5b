-- One row per (study_id, slice_id, grouping_id, generation_id), where slice or grouping names a factor of generations: the
-- generations whose answers are compared there, pooled as generation 'all'.
-- A setting is what generations have in all other factors of generations, such as the model where roles are compared.
-- Settings that hold every level of the grouping are compared, so that levels differ in nothing else; where none holds
-- all, every generation is, and held_factors is ''. left_out_factors: those that say which level a generation has, or
-- that follow from the level; and where no setting holds all levels, those that differ between settings.
{% set layout = 'study_id, slice_id, grouping_id' -%}
with

members as (
    select * from {{ ref('int_compared_generations') }}
),

model_factors as (
    select * from {{ ref('int_model_factors') }}
),

generation_factors as (
    select study_id, generation_id, factor, level from {{ source('raw', 'generation_factors') }}
),

groupings as (
    select * from {{ source('raw', 'groupings') }}
),

others as (
    select {{ layout }}, members.generation_id, members.model_group, factor, coalesce(generation_factors.level, '') as level
    from members
    inner join model_factors using (study_id)
    left join generation_factors using (study_id, generation_id, factor)
    left join groupings using (study_id, grouping_id, factor)
    where factor <> 'generation' and groupings.factor_position is null
),

-- a factor holds groups apart where some level has several groups, and some group several levels
groups_of_level as (
    select {{ layout }}, factor, level, count(distinct model_group) as n
    from others
    group by {{ layout }}, factor, level
),

levels_of_group as (
    select {{ layout }}, factor, model_group, count(distinct level) as n
    from others
    group by {{ layout }}, factor, model_group
),

counts as (
    select {{ layout }}, count(distinct model_group) as n_groups from members group by {{ layout }}
),

most_groups as (
    select {{ layout }}, factor, max(n) as n_groups_of_level, count(*) as n_levels from groups_of_level group by {{ layout }}, factor
),

most_levels as (
    select {{ layout }}, factor, max(n) as n_levels_of_group from levels_of_group group by {{ layout }}, factor
),

roles as (
    select
        {{ layout }},
        factor,
        n_groups_of_level > 1 and n_levels_of_group > 1 as is_crossed,
        n_levels > 1 and counts.n_groups > 1 as can_differ
    from most_groups
    inner join most_levels using ({{ layout }}, factor)
    inner join counts using ({{ layout }})
),

settings as (
    select
        {{ layout }},
        generation_id,
        model_group,
        coalesce({{ joined_text("case when is_crossed then factor || ' = ' || level end", ', ', 'factor') }}, '') as setting,
        coalesce({{ joined_text('case when is_crossed then factor end', ', ', 'factor') }}, '') as crossed_factors,
        coalesce(
            {{ joined_text('case when not is_crossed and can_differ then factor end', ', ', 'factor') }}, ''
        ) as other_factors
    from members
    left join others using ({{ layout }}, generation_id, model_group)
    left join roles using ({{ layout }}, factor)
    group by {{ layout }}, generation_id, model_group
),

shared as (
    select {{ layout }}, setting
    from settings
    inner join counts using ({{ layout }})
    group by {{ layout }}, setting, counts.n_groups
    having count(distinct model_group) = counts.n_groups
),

sharing as (
    select {{ layout }} from shared group by {{ layout }}
)

select
    {{ layout }},
    generation_id,
    case when sharing.study_id is null then '' else crossed_factors end as held_factors,
    case
        when sharing.study_id is not null or crossed_factors = '' then other_factors
        when other_factors = '' then crossed_factors
        else crossed_factors || ', ' || other_factors
    end as left_out_factors
from settings
left join shared using ({{ layout }}, setting)
left join sharing using ({{ layout }})
where shared.setting is not null or sharing.study_id is null

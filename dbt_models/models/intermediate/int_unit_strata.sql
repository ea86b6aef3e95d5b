-- One row per (study_id, slice_id, grouping_id, unit_id): how the groups of the grouping meet, told from the prompts
-- alone. blocked: some unit holds two groups or more, and they are compared within it. nested: every unit lies in one
-- group, and units are compared within their stratum: the levels of those blocking factors outside the grouping that
-- are constant within every unit. Source: inference.md 1 (groups nested in units).
with

prompt_slices as (
    select * from {{ ref('int_prompt_slices') }}
),

grouping_levels as (
    select * from {{ ref('int_grouping_levels') }}
),

prompts as (
    select * from {{ source('raw', 'prompts') }}
),

outside_levels as (
    select * from {{ ref('int_outside_levels') }}
),

members as (
    select
        prompt_slices.study_id,
        prompt_slices.slice_id,
        grouping_levels.grouping_id,
        prompts.unit_id,
        prompt_slices.prompt_id,
        grouping_levels.group_id
    from prompt_slices
    inner join grouping_levels
        on prompt_slices.study_id = grouping_levels.study_id
        and prompt_slices.prompt_id = grouping_levels.prompt_id
    inner join prompts
        on prompt_slices.study_id = prompts.study_id
        and prompt_slices.prompt_id = prompts.prompt_id
),

units as (
    select study_id, slice_id, grouping_id, unit_id, count(distinct group_id) as n_groups, count(*) as n_prompts
    from members
    group by study_id, slice_id, grouping_id, unit_id
),

schemed as (
    select
        *,
        case when max(n_groups) over (partition by study_id, slice_id, grouping_id) > 1 then 'blocked' else 'nested' end
            as scheme
    from units
),

unit_levels as (
    select
        members.study_id,
        members.slice_id,
        members.grouping_id,
        members.unit_id,
        outside_levels.factor,
        min(outside_levels.level) as level,
        count(distinct outside_levels.level) = 1 and count(*) = min(schemed.n_prompts) as is_constant
    from members
    inner join schemed
        on members.study_id = schemed.study_id
        and members.slice_id = schemed.slice_id
        and members.grouping_id = schemed.grouping_id
        and members.unit_id = schemed.unit_id
        and schemed.scheme = 'nested'
    inner join outside_levels
        on members.study_id = outside_levels.study_id
        and members.grouping_id = outside_levels.grouping_id
        and members.prompt_id = outside_levels.prompt_id
    group by
        members.study_id, members.slice_id, members.grouping_id, members.unit_id, outside_levels.factor
),

constant_levels as (
    select
        *,
        min(cast(is_constant as integer)) over (partition by study_id, slice_id, grouping_id, factor) = 1
            as is_constant_everywhere
    from unit_levels
),

strata as (
    select
        study_id,
        slice_id,
        grouping_id,
        unit_id,
        {{ joined_text("factor || ' = ' || level", ', ', 'factor') }} as stratum_id
    from constant_levels
    where is_constant_everywhere
    group by study_id, slice_id, grouping_id, unit_id
)

select
    schemed.study_id,
    schemed.slice_id,
    schemed.grouping_id,
    schemed.unit_id,
    schemed.scheme,
    case when schemed.scheme = 'nested' then coalesce(strata.stratum_id, '') end as stratum_id
from schemed
left join strata
    on schemed.study_id = strata.study_id
    and schemed.slice_id = strata.slice_id
    and schemed.grouping_id = strata.grouping_id
    and schemed.unit_id = strata.unit_id

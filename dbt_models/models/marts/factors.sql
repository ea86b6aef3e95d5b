with

factors as (
    select *, factor = 'negative_control' as is_control from {{ source('raw', 'factors') }}
),

levels as (
    select * from {{ source('raw', 'factor_levels') }}
),

prompts as (
    select * from {{ source('raw', 'prompts') }}
),

prompt_factors as (
    select * from {{ source('raw', 'prompt_factors') }}
),

system_factors as (
    select * from {{ source('raw', 'system_factors') }}
),

level_counts as (
    select study_id, factor, count(*) as n_levels
    from levels
    group by study_id, factor
),

prompt_counts as (
    select study_id, negative_control is not null as is_control, count(*) as n_prompts
    from prompts
    group by study_id, negative_control is not null
),

decided_counts as (
    select study_id, factor, negative_control is not null as is_control, count(*) as n_decided
    from prompt_factors
    inner join prompts using (study_id, prompt_id)
    group by study_id, factor, negative_control is not null
),

system_counts as (
    select study_id, count(distinct system_id) as n_systems
    from system_factors
    group by study_id
),

of_systems as (
    select
        study_id,
        factor,
        count(distinct level) as n_levels,
        -- no division by zero: a factor of generations has a generation
        cast(count(*) as double) / max(n_systems) as decided_share
    from system_factors
    inner join system_counts using (study_id)
    group by study_id, factor
),

of_study_file as (
    select
        study_id,
        factor,
        factors.factor_type as type,
        factors.definition,
        factors.reference_level,
        coalesce(
            case when factors.factor_type = 'model' then of_systems.n_levels end, level_counts.n_levels, 0
        ) as n_levels,
        factors.origin,
        factors.rule,
        factors.mapped_from,
        case
            when factors.factor_type = 'model' then coalesce(of_systems.decided_share, 0.0e0)
            when prompt_counts.n_prompts > 0
            then cast(coalesce(decided_counts.n_decided, 0) as double) / prompt_counts.n_prompts
        end as decided_share
    from factors
    left join level_counts using (study_id, factor)
    -- controls have levels of their own factor, and of others those alone that all prompts of a root prompt share
    left join prompt_counts using (study_id, is_control)
    left join decided_counts using (study_id, factor, is_control)
    left join of_systems using (study_id, factor)
),

undeclared as (
    select of_systems.*
    from of_systems
    left join factors using (study_id, factor)
    where factors.factor is null
)

select
    study_id,
    factor,
    type,
    definition,
    reference_level,
    n_levels,
    origin,
    rule,
    mapped_from,
    decided_share
from of_study_file
union all
select
    study_id,
    factor,
    'model' as type,
    cast(null as string) as definition,
    cast(null as string) as reference_level,
    n_levels,
    'derived' as origin,
    cast(null as string) as rule,
    cast(null as string) as mapped_from,
    decided_share
from undeclared

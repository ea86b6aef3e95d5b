-- One row per (study_id, factor).
with

factors as (
    select * from {{ source('raw', 'factors') }}
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

level_counts as (
    select study_id, factor, count(*) as n_levels
    from levels
    group by study_id, factor
),

prompt_counts as (
    select study_id, count(*) as n_prompts
    from prompts
    group by study_id
),

decided_counts as (
    select study_id, factor, count(*) as n_decided
    from prompt_factors
    group by study_id, factor
)

select
    study_id,
    factor,
    factors.factor_type as type,
    factors.definition,
    factors.reference_level,
    coalesce(level_counts.n_levels, 0) as n_levels,
    factors.origin,
    cast(null as string) as rule,
    case
        when prompt_counts.n_prompts > 0
        then cast(coalesce(decided_counts.n_decided, 0) as double) / prompt_counts.n_prompts
    end as decided_share
from factors
left join level_counts using (study_id, factor)
left join prompt_counts using (study_id)
left join decided_counts using (study_id, factor)

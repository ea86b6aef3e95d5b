with

looks as (
    select
        study_id,
        max(case when is_asked then look end) as look,
        count(*) as n_looks,
        max(case when is_asked then n_root_prompts end) as n_root_prompts_asked,
        max(n_root_prompts) as n_root_prompts_planned
    from {{ source('raw', 'looks') }}
    group by study_id
),

levels as (
    select study_id, max(significance_level) as significance_level from {{ source('inference', 'hypotheses') }} group by study_id
),

studies as (
    select study_id, alpha from {{ source('raw', 'studies') }}
)

select
    studies.study_id,
    cast(looks.look as bigint) as look,
    looks.n_looks,
    cast(looks.n_root_prompts_asked as bigint) as n_root_prompts_asked,
    cast(looks.n_root_prompts_planned as bigint) as n_root_prompts_planned,
    coalesce(levels.significance_level, studies.alpha) as significance_level
from studies
left join looks using (study_id)
left join levels using (study_id)

-- One row per (study_id, factors, group_id): every combination of the levels of a set of factors, whether any prompt
-- has it or not. Source: multi-factor document, section 3.2.
with recursive

sets as (
    select * from {{ source('raw', 'coverage_sets') }}
),

levels as (
    select * from {{ ref('int_factor_levels') }}
),

prompt_factors as (
    select * from {{ source('raw', 'prompt_factors') }}
),

numbered as (
    select
        study_id,
        factors,
        factor,
        row_number() over (partition by study_id, factors order by factor_position asc) as step,
        count(*) over (partition by study_id, factors) as n_steps
    from sets
),

steps as (
    select numbered.study_id, numbered.factors, numbered.step, numbered.n_steps, levels.level
    from numbered
    inner join levels on numbered.study_id = levels.study_id and numbered.factor = levels.factor
),

-- the cartesian product, one factor more at each step
combinations as (
    select study_id, factors, step, n_steps, level as group_id
    from steps
    where step = 1
    union all
    select
        combinations.study_id,
        combinations.factors,
        steps.step,
        steps.n_steps,
        combinations.group_id || ' x ' || steps.level as group_id
    from combinations
    inner join steps
        on combinations.study_id = steps.study_id
        and combinations.factors = steps.factors
        and combinations.step + 1 = steps.step
),

prompt_cells as (
    select
        numbered.study_id,
        numbered.factors,
        prompt_factors.prompt_id,
        {{ joined_text('prompt_factors.level', ' x ', 'numbered.step') }} as group_id,
        count(*) as n_met,
        max(numbered.n_steps) as n_steps
    from numbered
    inner join prompt_factors
        on numbered.study_id = prompt_factors.study_id
        and numbered.factor = prompt_factors.factor
    group by numbered.study_id, numbered.factors, prompt_factors.prompt_id
),

counts as (
    select study_id, factors, group_id, count(*) as n_prompts
    from prompt_cells
    where n_met = n_steps
    group by study_id, factors, group_id
)

select
    combinations.study_id,
    combinations.factors,
    combinations.group_id,
    coalesce(counts.n_prompts, 0) as n_prompts
from combinations
left join counts
    on combinations.study_id = counts.study_id
    and combinations.factors = counts.factors
    and combinations.group_id = counts.group_id
where combinations.step = combinations.n_steps

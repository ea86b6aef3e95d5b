-- One row per (study_id, factors, cell_position): the combinations of the levels of a set of factors that some prompt
-- has. Combinations are numbered from 0: the place of each level is a digit of the number. prompt_id: one that has it.
with

sets as (
    select * from {{ source('raw', 'coverage_sets') }}
),

sizes as (
    select * from {{ source('raw', 'coverage_sizes') }}
),

places as (
    select study_id, factor, prompt_id, level_position
    from {{ source('raw', 'prompt_factors') }}
    inner join {{ source('raw', 'factor_levels') }} using (study_id, factor, level)
),

answers as (
    select
        study_id,
        prompt_id,
        count(*) as n_responses,
        sum(case when status = 'ok' then 1 else 0 end) as n_responses_ok
    from {{ source('raw', 'responses') }}
    group by study_id, prompt_id
),

prompt_cells as (
    select
        study_id,
        factors,
        prompt_id,
        sum(cast(level_position as decimal(38, 0)) * stride) as cell_position,
        count(*) as n_factors
    from sets
    inner join places using (study_id, factor)
    group by study_id, factors, prompt_id
)

select
    study_id,
    factors,
    cell_position,
    min(prompt_id) as prompt_id,
    count(*) as n_prompts,
    cast(coalesce(sum(n_responses), 0) as bigint) as n_responses,
    cast(coalesce(sum(n_responses_ok), 0) as bigint) as n_responses_ok
from prompt_cells
inner join sizes using (study_id, factors, n_factors)
left join answers using (study_id, prompt_id)
group by study_id, factors, cell_position

with

prompt_cells as (
    select * from {{ ref('int_prompt_cells') }}
),

sizes as (
    select study_id, factors, n_factors, n_combinations - n_impossible as n_cells
    from {{ source('raw', 'coverage_sizes') }}
),

systems as (
    select study_id, system_id
    from {{ source('raw', 'systems') }}
    where not is_engine and not is_baseline
),

answers as (
    select
        study_id,
        system_id,
        prompt_id,
        count(*) as n_responses,
        sum(case when status = 'ok' then 1 else 0 end) as n_responses_ok
    from {{ source('raw', 'responses') }}
    group by study_id, system_id, prompt_id
),

cells as (
    select
        study_id,
        factors,
        system_id,
        cell_position,
        sum(n_responses) as n_responses,
        sum(n_responses_ok) as n_responses_ok
    from prompt_cells
    inner join answers using (study_id, prompt_id)
    group by study_id, factors, system_id, cell_position
)

select
    study_id,
    system_id,
    factors,
    n_factors,
    n_cells,
    count(case when n_responses_ok > 0 then 1 end) as n_answered,
    -- NULL where every combination is declared impossible
    case when n_cells > 0 then count(case when n_responses_ok > 0 then 1 end) / n_cells end as coverage_percentage,
    cast(coalesce(sum(n_responses), 0) as bigint) as n_responses,
    cast(coalesce(sum(n_responses_ok), 0) as bigint) as n_responses_ok
from systems
inner join sizes using (study_id)
left join cells using (study_id, factors, system_id)
group by study_id, system_id, factors, n_factors, n_cells

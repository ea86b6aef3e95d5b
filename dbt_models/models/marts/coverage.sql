with

covered as (
    select * from {{ ref('int_covered_cells') }}
),

sizes as (
    select study_id, factors, n_factors, n_combinations - n_impossible as n_cells, n_impossible
    from {{ source('raw', 'coverage_sizes') }}
),

ranked as (
    select
        *,
        count(n_prompts) over (partition by study_id, factors)
        - row_number() over (partition by study_id, factors order by n_prompts asc nulls last) as n_above
    from sizes
    left join covered using (study_id, factors)
)

select
    study_id,
    factors,
    n_factors,
    n_cells,
    n_impossible,
    count(n_prompts) as n_covered,
    -- NULL where every combination is declared impossible
    case when n_cells > 0 then count(n_prompts) / n_cells end as coverage_percentage,
    -- halves are taken out of the sum: whole numbers add up to 0 where all counts are equal
    case
        when sum(n_prompts) > 0
        then 1 - sum(n_prompts * (2.0e0 * n_above + 1)) / (n_cells * cast(sum(n_prompts) as double))
    end as gini_index,
    cast(coalesce(sum(n_prompts), 0) as bigint) as n_prompts,
    cast(coalesce(sum(n_responses), 0) as bigint) as n_responses,
    cast(coalesce(sum(n_responses_ok), 0) as bigint) as n_responses_ok,
    case when count(n_prompts) < n_cells then 0 else min(n_prompts) end as min_count,
    coalesce(max(n_prompts), 0) as max_count
from ranked
group by study_id, factors, n_factors, n_cells, n_impossible

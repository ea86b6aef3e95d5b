-- One row per (study_id, factors). Source: multi-factor document, section 3.2; the Gini index is its equation 2 over
-- counts in ascending order, NULL where no prompt has a level of every factor.
with

cells as (
    select * from {{ ref('coverage_cells') }}
),

ranked as (
    select
        study_id,
        factors,
        n_prompts,
        row_number() over (partition by study_id, factors order by n_prompts asc) as k,
        count(*) over (partition by study_id, factors) as n_cells
    from cells
)

select
    study_id,
    factors,
    n_cells,
    count(case when n_prompts > 0 then 1 end) as n_covered,
    cast(count(case when n_prompts > 0 then 1 end) as double) / n_cells as coverage_percentage,
    case
        when sum(n_prompts) > 0
        then 1 - 2 * sum(n_prompts * (n_cells - k + cast(0.5 as double)) / n_cells) / sum(n_prompts)
    end as gini_index,
    cast(sum(n_prompts) as bigint) as n_prompts,
    min(n_prompts) as min_count,
    max(n_prompts) as max_count
from ranked
group by study_id, factors, n_cells

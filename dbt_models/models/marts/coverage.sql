-- One row per (study_id, factors). Source: multi-factor document, section 3.2; the Gini index is its equation 2 over
-- counts in ascending order, NULL where no prompt has a level of every factor. Combinations are counted by arithmetic,
-- and those without a prompt rank first.
with

covered as (
    select * from {{ ref('int_covered_cells') }}
),

steps as (
    {{ coverage_steps() }}
),

sizes as (
    select distinct study_id, factors, n_cells
    from steps
    where n_cells is not null
),

ranked as (
    select
        *,
        n_cells - count(n_prompts) over (partition by study_id, factors)
        + row_number() over (partition by study_id, factors order by n_prompts asc nulls last) as k
    from sizes
    left join covered using (study_id, factors)
)

select
    study_id,
    factors,
    n_cells,
    count(n_prompts) as n_covered,
    cast(count(n_prompts) as double) / n_cells as coverage_percentage,
    -- halves are taken out of the sum: whole numbers add up to 0 where all counts are equal
    1 - sum(n_prompts * (2.0e0 * (n_cells - k) + 1)) / (n_cells * cast(sum(n_prompts) as double)) as gini_index,
    cast(coalesce(sum(n_prompts), 0) as bigint) as n_prompts,
    case when count(n_prompts) < n_cells then 0 else min(n_prompts) end as min_count,
    coalesce(max(n_prompts), 0) as max_count
from ranked
group by study_id, factors, n_cells

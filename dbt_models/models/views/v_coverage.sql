with

coverage as (
    select * from {{ ref('coverage') }}
),

cells as (
    select
        *,
        row_number() over (partition by study_id, factors order by n_prompts asc nulls last, group_id asc) as place
    from {{ ref('coverage_cells') }}
),

studies as (
    select * from {{ ref('studies') }}
)

select
    coverage.study_id,
    coverage.factors,
    studies.title,
    coverage.n_factors,
    coverage.n_cells,
    coverage.n_covered,
    coverage.n_cells - coverage.n_covered as n_empty,
    {{ rounded('coverage.coverage_percentage') }} as coverage_percentage,
    {{ rounded('coverage.gini_index') }} as gini_index,
    cells.group_id as rarest_group_id,
    coverage.min_count,
    coverage.max_count,
    coverage.n_prompts,
    coverage.n_responses,
    coverage.n_responses_ok
from coverage
inner join studies using (study_id)
left join cells on coverage.study_id = cells.study_id and coverage.factors = cells.factors and cells.place = 1

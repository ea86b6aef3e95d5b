-- Two roads from responses to totals: straight to groups, and over cells. They agree on the count and on the sum.
with

by_group as (
    select comparison_position, sum(n_responses) as n_responses, sum(total) as total, sum(abs(total)) as size
    from {{ ref('int_group_statistics') }}
    group by comparison_position
),

by_cell as (
    select comparison_position, sum(n_responses) as n_responses, sum(total) as total
    from {{ ref('int_cell_sums') }}
    where selection_position = 0
    group by comparison_position
)

select by_group.comparison_position, by_group.n_responses, by_cell.n_responses as n_responses_of_cells
from by_group
left join by_cell using (comparison_position)
where
    by_group.n_responses <> coalesce(by_cell.n_responses, 0)
    or abs(by_group.total - by_cell.total) > 1e-9 * greatest(by_group.size, 1)

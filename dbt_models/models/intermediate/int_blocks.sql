-- One row per (comparison_position, block_position): what its cells have together. Every sum is over present cells.
with

cells as (
    select * from {{ ref('int_cell_sums') }}
)

select
    comparison_position,
    block_position,
    root_position,
    count(*) as n_groups,
    sum(total / n_responses) as total,
    cast(sum(n_responses) as bigint) as n_responses,
    min(n_responses) as min_responses,
    max(n_responses) as max_responses
from cells
where selection_position = 0
group by comparison_position, block_position, root_position

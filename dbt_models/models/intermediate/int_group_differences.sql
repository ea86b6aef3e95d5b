-- One row per (comparison_position, group_position): mean D of inference.md 1, a group minus the others on the same
-- prompt: averaged over the blocks of a unit first, then over units (inference.md 2.6, macro unit_position).
-- difference is NULL for a group that shares no block with another.
with

cells as (
    select * from {{ ref('int_cell_sums') }}
),

blocks as (
    select * from {{ ref('int_blocks') }}
),

designs as (
    select * from {{ ref('int_designs') }}
),

block_differences as (
    select
        cells.comparison_position,
        cells.group_position,
        cells.root_position,
        {{ unit_position('cells', 'designs') }} as unit_position,
        case
            when blocks.n_groups > 1
            then
                (cells.total / cells.n_responses - blocks.total / blocks.n_groups)
                * blocks.n_groups / (blocks.n_groups - 1)
        end as difference
    from cells
    inner join blocks
        on cells.comparison_position = blocks.comparison_position
        and cells.block_position = blocks.block_position
    inner join designs on cells.comparison_position = designs.comparison_position
    where cells.selection_position = 0
),

unit_differences as (
    select
        comparison_position,
        group_position,
        unit_position,
        min(root_position) as root_position,
        avg(difference) as difference
    from block_differences
    group by comparison_position, group_position, unit_position
)

select
    comparison_position,
    group_position,
    avg(difference) as difference,
    count(distinct case when difference is not null then root_position end) as n_root_prompts_compared,
    count(distinct root_position) as n_root_prompts
from unit_differences
group by comparison_position, group_position

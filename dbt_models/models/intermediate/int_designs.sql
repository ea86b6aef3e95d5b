-- One row per comparison_position: how many root prompts, blocks and groups hold a value, and how evenly.
-- is_balanced: every block holds every group, all cells as many responses, all root prompts as many blocks: there the
-- index on responses and the index on cell means are one number.
with

blocks as (
    select * from {{ ref('int_blocks') }}
),

cells as (
    select * from {{ ref('int_cell_sums') }}
),

roots as (
    select
        comparison_position,
        root_position,
        count(*) as n_blocks,
        count(case when n_groups > 1 then 1 end) as n_blocks_compared
    from blocks
    group by comparison_position, root_position
),

root_counts as (
    select
        comparison_position,
        count(*) as n_root_prompts,
        cast(sum(n_blocks) as bigint) as n_blocks,
        count(case when n_blocks_compared > 0 then 1 end) as n_root_prompts_compared,
        cast(sum(n_blocks_compared) as bigint) as n_blocks_compared,
        min(n_blocks) = max(n_blocks) as has_even_roots
    from roots
    group by comparison_position
),

block_counts as (
    select
        comparison_position,
        min(n_groups) as min_groups,
        min(case when n_groups > 1 then min_responses end) as min_responses_compared,
        min(min_responses) = max(max_responses) as has_even_cells
    from blocks
    group by comparison_position
),

group_counts as (
    select comparison_position, count(distinct group_position) as n_groups
    from cells
    where selection_position = 0
    group by comparison_position
)

select
    root_counts.comparison_position,
    root_counts.n_root_prompts,
    root_counts.n_blocks,
    root_counts.n_root_prompts_compared,
    root_counts.n_blocks_compared,
    block_counts.min_responses_compared,
    group_counts.n_groups,
    root_counts.has_even_roots and block_counts.has_even_cells and block_counts.min_groups = group_counts.n_groups
        as is_balanced
from root_counts
inner join block_counts on root_counts.comparison_position = block_counts.comparison_position
inner join group_counts on root_counts.comparison_position = group_counts.comparison_position

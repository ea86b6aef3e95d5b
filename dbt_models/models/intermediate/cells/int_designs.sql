with

cells as (
    select * from {{ ref('int_cell_sums') }} where selection_position = 0
),

group_statistics as (
    select * from {{ ref('int_group_statistics') }}
),

blocks as (
    select
        comparison_position,
        block_position,
        root_position,
        stratum_position,
        min(group_position) as first_group,
        count(*) as n_groups,
        min(min_responses) as min_responses,
        max(max_responses) as max_responses,
        min(n_prompts) as min_prompts,
        max(n_prompts) as max_prompts
    from cells
    group by comparison_position, block_position, root_position, stratum_position
),

counts as (
    select
        comparison_position,
        count(distinct root_position) as n_root_prompts,
        min(min_responses) = max(max_responses) and min(min_prompts) = max(max_prompts) as has_even_cells
    from blocks
    group by comparison_position
),

-- where groups meet: in a block, or in the stratum of their units, of one group each
meetings as (
    select
        comparison_position,
        case when stratum_position is null then max(n_groups) else count(distinct first_group) end as n_groups
    from blocks
    group by comparison_position, stratum_position, case when stratum_position is null then block_position end
),

fewest_groups as (
    select comparison_position, min(n_groups) as min_groups
    from meetings
    group by comparison_position
),

parts as (
    select comparison_position, count(*) as n_blocks
    from blocks
    group by
        comparison_position,
        stratum_position,
        case when stratum_position is null then root_position else first_group end
),

evenness as (
    select comparison_position, min(n_blocks) = max(n_blocks) as has_even_parts
    from parts
    group by comparison_position
),

deviations as (
    select
        comparison_position,
        n_responses,
        (n_responses - 1) * coalesce(variance, 0)
        + n_responses * power(
            mean - sum(n_responses * mean) over comparison / sum(n_responses) over comparison, 2
        ) as sum_of_squares
    from group_statistics
    where n_responses > 0
    window comparison as (partition by comparison_position)
),

spreads as (
    -- one response has no spread
    select
        comparison_position,
        count(*) as n_groups,
        case when sum(n_responses) > 1 then sqrt(sum(sum_of_squares) / (sum(n_responses) - 1)) end as response_sd
    from deviations
    group by comparison_position
)

select
    comparison_position,
    counts.n_root_prompts,
    spreads.n_groups,
    counts.has_even_cells and evenness.has_even_parts and fewest_groups.min_groups = spreads.n_groups as is_balanced,
    spreads.response_sd
from counts
inner join fewest_groups using (comparison_position)
inner join evenness using (comparison_position)
inner join spreads using (comparison_position)

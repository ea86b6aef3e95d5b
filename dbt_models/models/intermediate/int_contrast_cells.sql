-- One row per (comparison_position, statistic, parameters, group_position, block_position): what differences between
-- groups are taken of: cell means, and the selection rates and precisions of cells where their difference is asked for.
-- In a nested grouping a block is a stratum, and its cells are means over the units of a group (inference.md 1).
with

cells as (
    select * from {{ ref('int_cells') }}
),

selected_cells as (
    select * from {{ ref('int_selected_cells') }}
),

comparisons as (
    select * from {{ ref('int_comparisons') }}
),

prompt_groups as (
    select * from {{ ref('int_prompt_groups') }}
),

asked as (
    select * from {{ ref('stg_contrasts') }}
),

strata as (
    select layout_position, block_position, stratum_position
    from prompt_groups
    where stratum_position is not null
    group by layout_position, block_position, stratum_position
),

every_cell as (
    select
        comparison_position,
        'mean' as statistic,
        '' as parameters,
        group_position,
        block_position,
        root_position,
        cell_mean,
        n_responses
    from cells
    union all
    select
        selected_cells.comparison_position,
        selected_cells.statistic,
        selected_cells.parameters,
        selected_cells.group_position,
        selected_cells.block_position,
        selected_cells.root_position,
        selected_cells.cell_mean,
        selected_cells.n_responses
    from selected_cells
    inner join asked
        on selected_cells.study_id = asked.study_id
        and selected_cells.statistic || '_difference' = asked.contrast
),

compared as (
    select
        every_cell.comparison_position,
        every_cell.statistic,
        every_cell.parameters,
        every_cell.group_position,
        coalesce(strata.stratum_position, every_cell.block_position) as block_position,
        strata.stratum_position is not null as is_nested,
        min(every_cell.root_position) as root_position,
        count(*) as n_units,
        min(every_cell.n_responses) as min_responses,
        avg(every_cell.cell_mean) as cell_mean
    from every_cell
    inner join comparisons on every_cell.comparison_position = comparisons.comparison_position
    left join strata
        on comparisons.layout_position = strata.layout_position
        and every_cell.block_position = strata.block_position
    group by
        every_cell.comparison_position,
        every_cell.statistic,
        every_cell.parameters,
        every_cell.group_position,
        coalesce(strata.stratum_position, every_cell.block_position),
        strata.stratum_position is not null
)

select
    comparison_position,
    statistic,
    parameters,
    group_position,
    block_position,
    root_position,
    is_nested,
    n_units,
    min_responses,
    cell_mean,
    count(*) over block as n_groups,
    avg(cell_mean) over block as block_mean
from compared
window block as (partition by comparison_position, statistic, parameters, block_position)

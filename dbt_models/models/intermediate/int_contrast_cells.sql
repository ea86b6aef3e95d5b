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
    select * from {{ source('raw', 'contrasts') }}
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

layouts as (
    select
        comparisons.comparison_position,
        comparisons.layout_position,
        comparisons.layout_position in (select layout_position from strata) as is_nested
    from comparisons
),

compared as (
    select
        every_cell.comparison_position,
        every_cell.statistic,
        every_cell.parameters,
        every_cell.group_position,
        every_cell.block_position,
        false as is_nested,
        every_cell.root_position,
        1 as n_units,
        every_cell.n_responses as min_responses,
        every_cell.cell_mean
    from every_cell
    inner join layouts on every_cell.comparison_position = layouts.comparison_position and not layouts.is_nested
    union all
    select
        every_cell.comparison_position,
        every_cell.statistic,
        every_cell.parameters,
        every_cell.group_position,
        strata.stratum_position as block_position,
        true as is_nested,
        min(every_cell.root_position) as root_position,
        count(*) as n_units,
        min(every_cell.n_responses) as min_responses,
        avg(every_cell.cell_mean) as cell_mean
    from every_cell
    inner join layouts on every_cell.comparison_position = layouts.comparison_position and layouts.is_nested
    inner join strata
        on layouts.layout_position = strata.layout_position
        and every_cell.block_position = strata.block_position
    group by
        every_cell.comparison_position,
        every_cell.statistic,
        every_cell.parameters,
        every_cell.group_position,
        strata.stratum_position
),

blocks as (
    select
        comparison_position,
        statistic,
        parameters,
        block_position,
        count(*) as n_groups,
        avg(cell_mean) as block_mean
    from compared
    group by comparison_position, statistic, parameters, block_position
)

select
    compared.comparison_position,
    compared.statistic,
    compared.parameters,
    compared.group_position,
    compared.block_position,
    compared.root_position,
    compared.is_nested,
    compared.n_units,
    compared.min_responses,
    compared.cell_mean,
    blocks.n_groups,
    blocks.block_mean
from compared
inner join blocks
    on compared.comparison_position = blocks.comparison_position
    and compared.statistic = blocks.statistic
    and compared.parameters = blocks.parameters
    and compared.block_position = blocks.block_position

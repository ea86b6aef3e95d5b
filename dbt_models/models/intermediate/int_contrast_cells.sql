-- One row per (comparison_position, statistic, parameters, group_position, block_position): what differences between
-- groups are taken of: cell means, and the selection rates and precisions of cells where their difference is requested for.
-- In a nested grouping a block is a stratum, and its cells are means over the units of a group, each of these a mean
-- over its root prompts. Where a unit lacks a root prompt that others of its stratum were asked, values are centred by
-- prompt first, so that a unit does not stand high for lacking a prompt on which all are low; a prompt that units of one
-- group alone answered is left out (inference.md 2.7).
with

cells as (
    select * from {{ ref('int_cells') }}
),

comparisons as (
    select * from {{ ref('int_comparisons') }}
),

prompt_groups as (
    select * from {{ ref('int_prompt_groups') }}
),

requested as (
    select * from {{ source('raw', 'contrasts') }}
),

strata as (
    select distinct layout_position, block_position, stratum_position, root_prompt_position
    from prompt_groups
    where stratum_position is not null
),

every_cell as (
    select cells.*
    from cells
    left join requested
        on cells.study_id = requested.study_id
        and cells.statistic || '_difference' = requested.contrast
    where cells.statistic = 'mean' or requested.contrast is not null
),

layouts as (
    select comparison_position, layout_position, layout_position in (select layout_position from strata) as is_nested
    from comparisons
),

{{ unit_means() }},

compared as (
    select
        comparison_position,
        statistic,
        parameters,
        group_position,
        block_position,
        is_nested,
        root_position,
        1 as n_units,
        n_responses as min_responses,
        cell_mean
    from every_cell
    inner join layouts using (comparison_position)
    where not is_nested
    union all
    select
        comparison_position,
        statistic,
        parameters,
        group_position,
        stratum_position as block_position,
        true as is_nested,
        min(root_position) as root_position,
        count(*) as n_units,
        min(min_responses) as min_responses,
        avg(unit_mean) as cell_mean
    from units
    group by comparison_position, statistic, parameters, group_position, stratum_position
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

select compared.*, blocks.n_groups, blocks.block_mean
from compared
inner join blocks using (comparison_position, statistic, parameters, block_position)

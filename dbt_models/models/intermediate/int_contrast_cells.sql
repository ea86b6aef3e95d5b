-- One row per (comparison_position, statistic, parameters, group_position, block_position): what differences between
-- groups are taken of: cell means, and the selection rates and precisions of cells where their difference is requested for.
-- In a nested grouping a block is a stratum, and its cells are means over the units of a group, each of these a mean
-- over its root prompts (inference.md 2.7): cell_mean as it is, centred_mean of values less the mean of their root prompt,
-- so that a unit which lacks a hard prompt is not high for it. block_mean is the mean of centred_mean. A root prompt that
-- units of one group alone answered says nothing of groups and is left out, but where no units share any.
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

nested_cells as (
    select every_cell.*, strata.stratum_position, strata.root_prompt_position
    from every_cell
    inner join layouts using (comparison_position)
    inner join strata using (layout_position, block_position)
    where is_nested
),

unit_prompts as (
    select distinct comparison_position, statistic, parameters, root_prompt_position, root_position, group_position
    from nested_cells
),

unit_counts as (
    select comparison_position, statistic, parameters, root_prompt_position, count(*) as n_units
    from unit_prompts
    group by comparison_position, statistic, parameters, root_prompt_position
),

designs as (
    select comparison_position, statistic, parameters, max(n_units) > 1 as has_shared_prompts
    from unit_counts
    group by comparison_position, statistic, parameters
),

root_prompts as (
    select
        comparison_position,
        statistic,
        parameters,
        stratum_position,
        root_prompt_position,
        min(group_position) < max(group_position) as has_groups,
        avg(cell_mean) as prompt_mean
    from nested_cells
    group by comparison_position, statistic, parameters, stratum_position, root_prompt_position
),

units as (
    select
        comparison_position,
        statistic,
        parameters,
        group_position,
        stratum_position,
        root_position,
        min(n_responses) as min_responses,
        avg(cell_mean) as unit_mean,
        avg(case when has_shared_prompts then cell_mean - prompt_mean else cell_mean end) as centred_mean
    from nested_cells
    inner join designs using (comparison_position, statistic, parameters)
    inner join root_prompts
        using (comparison_position, statistic, parameters, stratum_position, root_prompt_position)
    where has_groups or not has_shared_prompts
    group by comparison_position, statistic, parameters, group_position, stratum_position, root_position
),

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
        cell_mean,
        cell_mean as centred_mean
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
        avg(unit_mean) as cell_mean,
        avg(centred_mean) as centred_mean
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
        avg(centred_mean) as block_mean,
        sum(cell_mean) as block_total
    from compared
    group by comparison_position, statistic, parameters, block_position
)

select compared.*, blocks.n_groups, blocks.block_mean, blocks.block_total
from compared
inner join blocks using (comparison_position, statistic, parameters, block_position)

with

cells as (
    select * from {{ ref('int_cells') }}
),

nested_units as (
    select * from {{ ref('int_nested_units') }}
),

comparisons as (
    select * from {{ ref('int_comparisons') }}
),

requested as (
    select * from {{ source('raw', 'contrasts') }}
),

compared_statistics as (
    select study_id, 'mean' as statistic
    from comparisons
    union
    select study_id, replace(contrast, '_difference', '') as statistic
    from requested
),

nested_layouts as (
    select distinct layout_position
    from {{ ref('int_prompt_groups') }}
    where stratum_position is not null
),

compared as (
    select
        comparison_position,
        statistic,
        parameters,
        group_position,
        block_position,
        false as is_nested,
        root_position,
        1 as n_units,
        n_responses as min_responses,
        cell_mean,
        cell_mean as centred_mean
    from cells
    inner join compared_statistics using (study_id, statistic)
    inner join comparisons using (comparison_position)
    where layout_position not in (select layout_position from nested_layouts)
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
    from nested_units
    inner join compared_statistics using (study_id, statistic)
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

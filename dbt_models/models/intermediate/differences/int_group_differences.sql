with

cells as (
    select * from {{ ref('int_contrast_cells') }}
),

comparisons as (
    select * from {{ ref('int_comparisons') }}
),

every_reference as (
    select * from {{ ref('int_references') }}
),

contrasts as (
    select * from {{ source('raw', 'contrasts') }}
),

-- where all present are compared with: the study says so, or asks for dbi
with_grand_mean as (
    select comparison_position
    from comparisons
    inner join every_reference using (study_id, slice_id, grouping_id)
    where reference = 'grand_mean'
    union
    select comparison_position
    from comparisons
    inner join contrasts using (study_id)
    where contrast = 'dbi'
),

designs as (
    select
        comparison_position,
        statistic,
        parameters,
        count(distinct case when n_groups > 1 then root_position end) as n_root_prompts_compared,
        count(distinct case when n_groups > 1 then block_position end) as n_blocks_compared,
        min(case when n_groups > 1 then min_responses end) as min_responses_compared
    from cells
    group by comparison_position, statistic, parameters
),

placed as (
    select
        cells.*,
        case when cells.is_nested then cells.block_position else {{ unit_position('cells', 'designs') }} end
            as unit_position,
        case when cells.n_groups > 1 then cells.n_groups - 1 end as n_others,
        case when cells.n_groups > 1 then cells.centred_mean - cells.block_mean end as difference_from_mean
    from cells
    inner join designs using (comparison_position, statistic, parameters)
),

block_differences as (
    select
        *,
        'rest' as reference,
        difference_from_mean * n_groups / n_others as difference,
        (block_total - cell_mean) / n_others as other_mean
    from placed
    union all
    select placed.*, 'grand_mean' as reference, difference_from_mean as difference, block_total / n_groups as other_mean
    from placed
    inner join with_grand_mean using (comparison_position)
    union all
    select placed.*, reference, placed.centred_mean - others.centred_mean as difference, others.cell_mean as other_mean
    from placed
    inner join comparisons using (comparison_position)
    inner join every_reference using (study_id, slice_id, grouping_id, group_position)
    inner join placed as others
        on placed.comparison_position = others.comparison_position
        and placed.statistic = others.statistic
        and placed.parameters = others.parameters
        and placed.block_position = others.block_position
        and every_reference.other_position = others.group_position
),

unit_differences as (
    select
        comparison_position,
        statistic,
        parameters,
        group_position,
        reference,
        is_nested,
        unit_position,
        min(root_position) as root_position,
        sum(n_units) as n_units,
        avg(difference) as difference,
        avg(case when difference is not null then cell_mean end) as own_mean,
        avg(case when difference is not null then other_mean end) as other_mean
    from block_differences
    group by comparison_position, statistic, parameters, group_position, reference, is_nested, unit_position
)

select
    comparison_position,
    statistic,
    parameters,
    group_position,
    reference,
    avg(difference) as difference,
    avg(own_mean) as own_mean,
    avg(other_mean) as other_mean,
    cast(
        case
            when is_nested then sum(case when difference is not null then n_units else 0 end)
            else count(distinct case when difference is not null then root_position end)
        end as bigint
    ) as n_root_prompts_compared
from unit_differences
group by comparison_position, statistic, parameters, group_position, reference, is_nested

{% set keys -%}
    {{ hypothesis_keys() | join(', ') }}, group_id, category, reference
{%- endset %}
with

significant as (
    select *, sign(value) as side, case statistic when 'share' then 'mean' else statistic end as statistic_of_cells
    from {{ ref('int_hypothesis_groups') }}
    where is_significant and differs_on_its_own and not is_mirror and system_id <> 'all'
),

comparisons as (
    select * from {{ ref('int_comparisons') }}
),

cells as (
    select * from {{ ref('int_contrast_cells') }} where not is_nested and n_groups > 1
),

groups as (
    select layout_position, block_position, group_position, group_id, min(root_prompt_id) as root_prompt_id
    from {{ ref('int_prompt_groups') }}
    inner join {{ source('raw', 'prompts') }} using (study_id, prompt_id)
    group by layout_position, block_position, group_position, group_id
),

placed as (
    select
        comparisons.study_id,
        comparisons.slice_id,
        comparisons.system_id,
        comparisons.grouping_id,
        comparisons.measure_id,
        comparisons.calibration,
        comparisons.category,
        comparisons.kind,
        comparisons.layout_position,
        comparison_position,
        cells.statistic as statistic_of_cells,
        cells.parameters,
        cells.block_position,
        groups.group_id,
        groups.root_prompt_id,
        cells.cell_mean,
        cells.block_mean,
        cells.n_groups
    from cells
    inner join comparisons using (comparison_position)
    inner join groups
        on comparisons.layout_position = groups.layout_position
        and cells.block_position = groups.block_position
        and cells.group_position = groups.group_position
),

of_groups as (
    select significant.statistic, significant.side, significant.value, significant.reference, placed.*
    from significant
    inner join placed
        using (
            study_id, slice_id, system_id, grouping_id, measure_id, calibration, category, statistic_of_cells,
            parameters, group_id
        )
),

reference_cells as (
    select
        comparison_position,
        statistic_of_cells,
        parameters,
        block_position,
        group_id as reference,
        cell_mean as reference_mean
    from placed
)

select
    {{ keys }},
    statistic_of_cells,
    kind <> 'continuous' or statistic_of_cells <> 'mean' as is_event,
    layout_position,
    block_position,
    root_prompt_id,
    side,
    value,
    case
        when reference = 'parts' then beyond.difference
        when reference = 'grand_mean' then cell_mean - block_mean
        -- a block of one group is left out above
        when reference = 'rest' then (cell_mean - block_mean) * n_groups / (n_groups - 1)
        else cell_mean - reference_mean
    end as difference_of_block
from of_groups
left join reference_cells using (comparison_position, statistic_of_cells, parameters, block_position, reference)
left join {{ source('inference', 'interaction_blocks') }} as beyond
    using ({{ hypothesis_keys() | join(', ') }}, group_id, category, block_position)
where
    case
        when reference = 'parts' then beyond.difference is not null
        when reference in ('rest', 'grand_mean') then true
        else reference_mean is not null
    end

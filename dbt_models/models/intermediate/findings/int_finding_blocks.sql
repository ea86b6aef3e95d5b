{% set keys -%}
    {{ hypothesis_keys() | join(', ') }}, group_id, category, reference
{%- endset %}
with

significant as (
    select *, sign(value) as side, case statistic when 'share' then 'mean' else statistic end as statistic_of_cells
    from {{ ref('int_hypothesis_groups') }}
    where is_significant and differs_on_its_own and not is_mirror and system_id <> 'all'
),

prompts as (
    select study_id, prompt_id, root_prompt_id from {{ source('raw', 'prompts') }}
),

comparisons as (
    select * from {{ ref('int_comparisons') }}
),

cells as (
    select * from {{ ref('int_contrast_cells') }} where not is_nested and n_groups > 1
),

prompt_groups as (
    select
        study_id,
        layout_position,
        block_position,
        group_position,
        group_id,
        min(root_prompt_id) as root_prompt_id,
        min(prompt_id) as prompt_id
    from {{ ref('int_prompt_groups') }}
    inner join prompts using (study_id, prompt_id)
    group by study_id, layout_position, block_position, group_position, group_id
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
        comparison_position,
        cells.statistic as statistic_of_cells,
        cells.parameters,
        cells.block_position,
        prompt_groups.group_id,
        prompt_groups.root_prompt_id,
        prompt_groups.prompt_id,
        cells.cell_mean,
        cells.block_mean,
        cells.n_groups
    from cells
    inner join comparisons using (comparison_position)
    inner join prompt_groups
        on comparisons.layout_position = prompt_groups.layout_position
        and cells.block_position = prompt_groups.block_position
        and cells.group_position = prompt_groups.group_position
),

owned as (
    select significant.statistic, significant.side, significant.reference, placed.*
    from significant
    inner join placed
        using (
            study_id, slice_id, system_id, grouping_id, measure_id, calibration, category, statistic_of_cells,
            parameters, group_id
        )
),

others as (
    select
        comparison_position,
        statistic_of_cells,
        parameters,
        block_position,
        group_id as other_group_id,
        prompt_id as other_prompt_id,
        cell_mean as other_mean
    from placed
),

beside as (
    select
        *,
        case
            when reference = 'parts' then beyond.difference
            when reference = other_group_id then cell_mean - other_mean
            when reference = 'grand_mean' then cell_mean - block_mean
            -- a block of one group is left out above
            else (cell_mean - block_mean) * n_groups / (n_groups - 1)
        end as difference_of_block,
        row_number() over (
            partition by {{ keys }}, block_position
            order by round(side * other_mean, 9) asc nulls last, other_group_id asc
        ) as place
    from owned
    inner join others using (comparison_position, statistic_of_cells, parameters, block_position)
    left join {{ source('inference', 'interaction_blocks') }} as beyond
        using ({{ hypothesis_keys() | join(', ') }}, group_id, category, block_position)
    where
        other_group_id <> group_id
        and (reference in ('rest', 'grand_mean', 'parts') or reference = other_group_id)
        and (reference <> 'parts' or beyond.difference is not null)
)

select
    {{ keys }},
    block_position,
    root_prompt_id,
    side,
    difference_of_block,
    prompt_id,
    other_prompt_id
from beside
where place = 1

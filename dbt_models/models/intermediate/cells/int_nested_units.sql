with

cells as (
    select * from {{ ref('int_cells') }}
),

comparisons as (
    select * from {{ ref('int_comparisons') }}
),

strata as (
    select distinct layout_position, block_position, stratum_position, root_prompt_position
    from {{ ref('int_prompt_groups') }}
    where stratum_position is not null
),

nested_cells as (
    select cells.*, strata.stratum_position, strata.root_prompt_position
    from cells
    inner join comparisons using (comparison_position)
    inner join strata using (layout_position, block_position)
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
)

select
    study_id,
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
inner join root_prompts using (comparison_position, statistic, parameters, stratum_position, root_prompt_position)
where has_groups or not has_shared_prompts
group by study_id, comparison_position, statistic, parameters, group_position, stratum_position, root_position

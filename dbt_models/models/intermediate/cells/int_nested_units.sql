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

of_groups as (
    select
        comparison_position,
        statistic,
        parameters,
        stratum_position,
        root_prompt_position,
        group_position,
        avg(cell_mean) as group_mean
    from nested_cells
    group by comparison_position, statistic, parameters, stratum_position, root_prompt_position, group_position
),

group_counts as (
    select comparison_position, statistic, parameters, stratum_position, root_prompt_position, count(*) as n_groups
    from of_groups
    group by comparison_position, statistic, parameters, stratum_position, root_prompt_position
),

-- a root prompt that units of one group alone answered says nothing of groups
compared_groups as (
    select *
    from of_groups
    inner join group_counts using (comparison_position, statistic, parameters, stratum_position, root_prompt_position)
    where n_groups > 1
),

strata_groups as (
    select
        comparison_position,
        statistic,
        parameters,
        stratum_position,
        count(distinct group_position) as n_groups_of_stratum
    from compared_groups
    group by comparison_position, statistic, parameters, stratum_position
),

-- of the root prompts that all groups of the stratum answered; where there are none, groups are not taken off
group_effects as (
    select
        comparison_position,
        statistic,
        parameters,
        stratum_position,
        group_position,
        coalesce(avg(case when n_groups = n_groups_of_stratum then group_mean end), 0) as group_effect
    from compared_groups
    inner join strata_groups using (comparison_position, statistic, parameters, stratum_position)
    group by comparison_position, statistic, parameters, stratum_position, group_position
),

root_prompts as (
    select
        comparison_position,
        statistic,
        parameters,
        stratum_position,
        root_prompt_position,
        avg(group_mean - group_effect) as prompt_effect
    from compared_groups
    inner join group_effects using (comparison_position, statistic, parameters, stratum_position, group_position)
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
    avg(case when has_shared_prompts then cell_mean - prompt_effect else cell_mean end) as centred_mean
from nested_cells
inner join designs using (comparison_position, statistic, parameters)
left join root_prompts using (comparison_position, statistic, parameters, stratum_position, root_prompt_position)
where prompt_effect is not null or not has_shared_prompts
group by study_id, comparison_position, statistic, parameters, group_position, stratum_position, root_position

{% set column = 'comparison_position, statistic, parameters' %}
{% set stratum = column ~ ', stratum_position' %}
{% set prompt = stratum ~ ', root_prompt_position' %}
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
    select distinct {{ column }}, root_prompt_position, root_position, group_position
    from nested_cells
),

unit_counts as (
    select {{ column }}, root_prompt_position, count(*) as n_units
    from unit_prompts
    group by {{ column }}, root_prompt_position
),

designs as (
    select {{ column }}, max(n_units) > 1 as has_shared_prompts
    from unit_counts
    group by {{ column }}
),

of_groups as (
    select {{ prompt }}, group_position, avg(cell_mean) as group_mean
    from nested_cells
    group by {{ prompt }}, group_position
),

group_counts as (
    select {{ prompt }}, count(*) as n_groups
    from of_groups
    group by {{ prompt }}
),

-- a root prompt that units of one group alone answered says nothing of groups
compared_groups as (
    select *
    from of_groups
    inner join group_counts using ({{ prompt }})
    where n_groups > 1
),

strata_groups as (
    select {{ stratum }}, count(distinct group_position) as n_groups_of_stratum
    from compared_groups
    group by {{ stratum }}
),

-- of the root prompts that all groups of the stratum answered; where there are none, groups are not taken off
group_effects as (
    select
        {{ stratum }},
        group_position,
        coalesce(avg(case when n_groups = n_groups_of_stratum then group_mean end), 0) as group_effect
    from compared_groups
    inner join strata_groups using ({{ stratum }})
    group by {{ stratum }}, group_position
),

root_prompts as (
    select {{ prompt }}, avg(group_mean - group_effect) as prompt_effect
    from compared_groups
    inner join group_effects using ({{ stratum }}, group_position)
    group by {{ prompt }}
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
inner join designs using ({{ column }})
left join root_prompts using ({{ prompt }})
where prompt_effect is not null or not has_shared_prompts
group by study_id, comparison_position, statistic, parameters, group_position, stratum_position, root_position

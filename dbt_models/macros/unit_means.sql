{# CTEs that end in `units`: the mean of every unit of a nested grouping over its root prompts (inference.md 2.7). They
read the CTEs every_cell, layouts and strata of int_contrast_cells. Where a unit lacks a root prompt that others of its
stratum were asked, values are centred by prompt first; a prompt that units of one group alone answered is left out. #}
{% macro unit_means() %}
nested as (
    select every_cell.*, strata.stratum_position, strata.root_prompt_position
    from every_cell
    inner join layouts using (comparison_position)
    inner join strata using (layout_position, block_position)
    where is_nested
),

-- units that share no prompt have prompts of their own
sharing as (
    select comparison_position, statistic, parameters, count(*) > count(distinct root_prompt_position) as is_shared
    from nested
    group by comparison_position, statistic, parameters
),

prompt_means as (
    select
        comparison_position,
        statistic,
        parameters,
        stratum_position,
        root_prompt_position,
        count(distinct group_position) as n_groups_asked,
        avg(cell_mean) as prompt_mean
    from nested
    group by comparison_position, statistic, parameters, stratum_position, root_prompt_position
),

kept as (
    select nested.*, prompt_means.prompt_mean, sharing.is_shared
    from nested
    inner join sharing using (comparison_position, statistic, parameters)
    inner join prompt_means using (comparison_position, statistic, parameters, stratum_position, root_prompt_position)
    where not sharing.is_shared or prompt_means.n_groups_asked > 1
),

unit_sizes as (
    select
        comparison_position,
        statistic,
        parameters,
        stratum_position,
        root_position,
        group_position,
        count(*) as n_cells
    from kept
    group by comparison_position, statistic, parameters, stratum_position, root_position, group_position
),

-- a stratum is complete where each of its units was asked each of its prompts
levels as (
    select
        comparison_position,
        statistic,
        parameters,
        stratum_position,
        count(distinct root_prompt_position) as n_prompts,
        avg(prompt_mean) as mean_of_prompts
    from (
        select distinct
            comparison_position,
            statistic,
            parameters,
            stratum_position,
            root_prompt_position,
            prompt_mean
        from kept
    ) as prompts
    group by comparison_position, statistic, parameters, stratum_position
),

incomplete as (
    select comparison_position, statistic, parameters, stratum_position, true as lacks_cells
    from unit_sizes
    inner join levels using (comparison_position, statistic, parameters, stratum_position)
    group by comparison_position, statistic, parameters, stratum_position
    having min(n_cells) < min(n_prompts)
),

units as (
    select
        comparison_position,
        statistic,
        parameters,
        kept.group_position,
        stratum_position,
        kept.root_position,
        min(kept.n_responses) as min_responses,
        avg(
            case
                when kept.is_shared and incomplete.lacks_cells
                then kept.cell_mean - kept.prompt_mean + levels.mean_of_prompts
                else kept.cell_mean
            end
        ) as unit_mean
    from kept
    inner join levels using (comparison_position, statistic, parameters, stratum_position)
    left join incomplete using (comparison_position, statistic, parameters, stratum_position)
    group by comparison_position, statistic, parameters, kept.group_position, stratum_position, kept.root_position
)
{% endmacro %}

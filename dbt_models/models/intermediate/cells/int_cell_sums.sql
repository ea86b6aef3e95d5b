with

grouped_values as (
    select * from {{ ref('int_grouped_values') }} where x is not null
),

comparisons as (
    select * from {{ ref('int_comparisons') }}
),

standards as (
    select * from {{ ref('int_selection_standards') }}
),

selecting as (
    select
        comparisons.comparison_position,
        coalesce(standards.selection_position, 0) as selection_position,
        standards.normalise,
        standards.method,
        standards.bound_low,
        standards.bound_high,
        standards.centre,
        standards.spread
    from comparisons
    left join standards using (study_id, slice_id, outcome_position)
),

{% set x, baseline = 'grouped_values.x', 'grouped_values.baseline' %}
{% set centre, spread = 'selecting.centre', 'selecting.spread' %}
judged as {{ not_kept() }} (
    select
        comparison_position,
        selecting.selection_position,
        grouped_values.group_position,
        grouped_values.block_position,
        grouped_values.root_position,
        grouped_values.stratum_position,
        grouped_values.prompt_position,
        grouped_values.is_alone,
        grouped_values.x,
        case
            when selecting.normalise = 'before'
            then
                {{ is_selected(
                    normalised(x, centre, spread), normalised(baseline, centre, spread), 'selecting'
                ) }}
            else {{ is_selected(x, baseline, 'selecting') }}
        end as is_selected
    from grouped_values
    inner join selecting using (comparison_position)
),

{% set keys -%}
    comparison_position, selection_position, group_position, block_position, root_position, stratum_position
{%- endset %}
prompt_sums as (
    select
        {{ keys }},
        sum(x) as total,
        sum(cast(is_selected as integer)) as n_selected,
        count(is_selected) as n_selectable,
        count(*) as n_responses
    from judged
    where not is_alone
    group by {{ keys }}, prompt_position
)

select
    {{ keys }},
    sum(total) as total,
    cast(sum(n_selected) as bigint) as n_selected,
    cast(sum(n_selectable) as bigint) as n_selectable,
    cast(sum(n_responses) as bigint) as n_responses,
    count(*) as n_prompts,
    avg(total / n_responses) as cell_mean,
    avg(case when n_selectable > 0 then cast(n_selected as double) / n_selectable end) as selected_share,
    min(n_responses) as min_responses,
    max(n_responses) as max_responses
from prompt_sums
group by {{ keys }}
union all
-- one response needs no summing up: of most studies these are all cells
select
    {{ keys }},
    x as total,
    cast(is_selected as bigint) as n_selected,
    cast(is_selected is not null as bigint) as n_selectable,
    cast(1 as bigint) as n_responses,
    cast(1 as bigint) as n_prompts,
    x as cell_mean,
    cast(cast(is_selected as integer) as double) as selected_share,
    cast(1 as bigint) as min_responses,
    cast(1 as bigint) as max_responses
from judged
where is_alone

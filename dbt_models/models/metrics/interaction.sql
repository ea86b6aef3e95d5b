{# What the cells of a crossing have beyond its parts is computed by inference: least squares of every block. Here are the
   rows. #}
{% set statistics = {
    'mean': ['mean_difference', ['continuous', 'binary', 'categorical']],
    'selection_rate': ['selection_rate_difference', ['continuous']],
    'precision': ['precision_difference', ['continuous']],
} %}
with

group_statistics as (
    select * from {{ ref('int_group_statistics') }}
),

differences as (
    select * from {{ ref('int_group_differences') }} where reference = 'rest'
),

-- where units keep a part alone, groups are compared as they are
crossings as (
    select prompt_groups.study_id, prompt_groups.slice_id, prompt_groups.grouping_id
    from {{ ref('int_prompt_groups') }} as prompt_groups
    inner join {{ ref('int_grouping_parts') }} as parts
        on prompt_groups.study_id = parts.study_id and prompt_groups.grouping_id = parts.grouping_id
    group by prompt_groups.study_id, prompt_groups.slice_id, prompt_groups.grouping_id
    having min(prompt_groups.scheme) <> 'partly_nested'
),

{% for statistic, (contrast, kinds) in statistics.items() %}
of_{{ statistic }} as (
    with {{ requested_parameters(contrast, statistic) }}

    select group_statistics.*, '{{ statistic }}' as statistic, requested.parameters
    from group_statistics
    inner join requested using (study_id)
    where kind in ('{{ kinds | join("', '") }}')
),

{% endfor %}
cells as (
    {% for statistic in statistics %}
    select * from of_{{ statistic }}
    {{ 'union all' if not loop.last }}
    {% endfor %}
)

select
    cells.study_id,
    cells.slice_id,
    system_id,
    measure_id,
    calibration,
    cells.grouping_id,
    case when category = '' then cells.statistic else 'share' end as statistic,
    cells.parameters,
    group_id,
    'interaction' as contrast,
    category,
    'parts' as reference,
    cast(null as double) as value,
    cast(null as double) as value_responses,
    n_responses,
    cast(0 as bigint) as n_root_prompts,
    case
        when n_responses = 0 then 'no_values'
        when differences.comparison_position is not null then null
        when calibration = 'calibrated' then 'already_calibrated'
        else 'no_baseline'
    end as reason
from cells
inner join crossings
    on
        cells.study_id = crossings.study_id
        and cells.slice_id = crossings.slice_id
        and cells.grouping_id = crossings.grouping_id
left join differences
    on
        cells.comparison_position = differences.comparison_position
        and cells.group_position = differences.group_position
        and cells.statistic = differences.statistic
        and cells.parameters = differences.parameters

-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, group_id, statistic,
-- parameters): the statistics that the study asks for. selection_rate for continuous measures only: that of a binary
-- measure is its mean. Categorical measures have shares instead (outcome_distributions).
with

group_statistics as (
    select * from {{ ref('int_group_statistics') }}
),

cells as (
    select * from {{ ref('int_cell_sums') }}
),

comparisons as (
    select * from {{ ref('int_comparisons') }}
),

standards as (
    select * from {{ ref('int_selection_standards') }}
),

asked as (
    select * from {{ ref('stg_statistics') }}
),

selected as (
    select
        comparison_position,
        selection_position,
        group_position,
        cast(sum(n_selected) as double) / sum(n_responses) as selection_rate
    from cells
    where n_selected is not null
    group by comparison_position, selection_position, group_position
),

-- a selection rate has a row for every group too, with or without responses
selection_rates as (
    select
        selected.comparison_position,
        selected.group_position,
        standards.parameters,
        selected.selection_rate
    from selected
    inner join comparisons on selected.comparison_position = comparisons.comparison_position
    inner join standards
        on comparisons.study_id = standards.study_id
        and comparisons.slice_id = standards.slice_id
        and comparisons.outcome_position = standards.outcome_position
        and selected.selection_position = standards.selection_position
),

long_statistics as (
    select
        group_statistics.*,
        asked.statistic,
        asked.parameters,
        case asked.statistic
            {% for name in group_statistics() %}
            when '{{ name }}' then group_statistics.{{ name }}
            {% endfor %}
        end as value
    from group_statistics
    inner join asked on group_statistics.study_id = asked.study_id and asked.statistic <> 'selection_rate'
    where group_statistics.kind in ('continuous', 'binary')
    union all
    select
        group_statistics.*,
        asked.statistic,
        asked.parameters,
        selection_rates.selection_rate as value
    from group_statistics
    inner join asked on group_statistics.study_id = asked.study_id and asked.statistic = 'selection_rate'
    left join selection_rates
        on asked.parameters = selection_rates.parameters
        and group_statistics.comparison_position = selection_rates.comparison_position
        and group_statistics.group_position = selection_rates.group_position
    where group_statistics.kind = 'continuous'
)

select
    study_id,
    slice_id,
    generation_id,
    measure_id,
    calibration,
    grouping_id,
    group_id,
    statistic,
    parameters,
    value,
    n_responses,
    n_missing,
    n_root_prompts,
    case
        when value is not null then null
        when n_responses = 0 then 'no_values'
        else 'too_few_values'
    end as reason,
    kind,
    group_position,
    comparison_position
from long_statistics

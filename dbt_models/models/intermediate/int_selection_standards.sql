-- One row per (study_id, slice_id, outcome_position, selection_position): what the values of a continuous outcome are
-- held against to be selected, from all its rows in the slice. Precision is the share selected by being near the
-- baseline: its standard is the threshold, and raw values alone have it.
with

outcome_values as (
    select * from {{ ref('int_outcome_values') }}
),

outcomes as (
    select * from {{ ref('int_outcomes') }}
),

prompt_slices as (
    select * from {{ ref('int_prompt_slices') }}
),

measure_slices as (
    select * from {{ ref('stg_measure_slices') }}
),

statistics as (
    select * from {{ ref('stg_statistics') }}
),

selections as (
    -- selection rates first: every outcome has them
    select
        study_id,
        statistic,
        parameters,
        standard,
        case when statistic = 'precision' then 'near_baseline' else method end as method,
        case
            when statistic = 'precision' then cast(replace(parameters, 'threshold=', '') as double)
            else standard_value
        end as standard_value,
        cast(
            row_number() over (partition by study_id order by statistic desc, parameters asc) - 1 as integer
        ) as selection_position
    from statistics
    where statistic in ('selection_rate', 'precision')
)

select
    prompt_slices.study_id,
    prompt_slices.slice_id,
    outcomes.outcome_position,
    selections.selection_position,
    selections.statistic,
    selections.parameters,
    selections.method,
    case coalesce(selections.standard, 'fixed')
        {% for name, aggregate in selection_standards().items() %}
        when '{{ name }}' then {{ aggregate }}
        {% endfor %}
    end as standard
from outcome_values
inner join outcomes on outcome_values.outcome_position = outcomes.outcome_position
inner join prompt_slices
    on outcome_values.study_id = prompt_slices.study_id
    and outcome_values.prompt_id = prompt_slices.prompt_id
inner join measure_slices
    on outcomes.study_id = measure_slices.study_id
    and outcomes.measure_id = measure_slices.measure_id
    and prompt_slices.slice_id = measure_slices.slice_id
inner join selections on outcomes.study_id = selections.study_id
where outcomes.kind = 'continuous' and (selections.statistic = 'selection_rate' or outcomes.calibration = 'raw')
group by
    prompt_slices.study_id,
    prompt_slices.slice_id,
    outcomes.outcome_position,
    selections.selection_position,
    selections.statistic,
    selections.parameters,
    selections.method,
    selections.standard

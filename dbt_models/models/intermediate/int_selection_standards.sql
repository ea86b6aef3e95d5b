-- One row per (study_id, slice_id, outcome_position, selection_position): what the values of a continuous outcome are
-- held against to be selected, from all its rows in the slice. Precision is the share selected by being near the
-- baseline: its standard is the threshold, and raw values alone have it. Where values are normalised before, centre and
-- spread say how, and the standard is on that scale.
with

outcome_values as (
    select * from {{ ref('int_outcome_values') }}
),

outcomes as (
    select * from {{ ref('int_outcomes') }} where kind = 'continuous'
),

prompt_slices as (
    select * from {{ ref('int_prompt_slices') }}
),

measure_slices as (
    select * from {{ source('raw', 'measure_slices') }}
),

scales as (
    select * from {{ ref('int_normal_scales') }}
),

selections as (
    -- selection rates first: every outcome has them
    select
        *,
        cast(
            row_number() over (partition by study_id order by statistic desc, parameters asc) - 1 as integer
        ) as selection_position
    from {{ source('raw', 'statistics') }}
    where statistic in ('selection_rate', 'precision')
),

selecting as (
    select
        outcomes.study_id,
        measure_slices.slice_id,
        outcomes.outcome_position,
        selections.selection_position,
        selections.statistic,
        selections.parameters,
        selections.normalise,
        case when selections.statistic = 'precision' then 'near_baseline' else selections.method end as method,
        selections.standard,
        selections.standard_value,
        selections.level_low,
        selections.level_high,
        selections.bin_width,
        selections.threshold,
        scales.centre,
        scales.spread
    from outcomes
    inner join measure_slices
        on outcomes.study_id = measure_slices.study_id
        and outcomes.measure_id = measure_slices.measure_id
    inner join selections
        on outcomes.study_id = selections.study_id
        and (selections.statistic = 'selection_rate' or outcomes.calibration = 'raw')
    left join scales
        on measure_slices.slice_id = scales.slice_id
        and outcomes.outcome_position = scales.outcome_position
        and selections.normalise = 'before'
        and selections.normalise_over = scales.normalise_over
),

held_against as {{ not_kept() }} (
    -- what the standard is of
    select
        selecting.slice_id,
        selecting.outcome_position,
        selecting.selection_position,
        selecting.standard,
        selecting.bin_width,
        coalesce(selecting.level_low, 0.5) as level_low,
        coalesce(selecting.level_high, selecting.level_low, 0.5) as level_high,
        case
            when selecting.normalise = 'before'
            then {{ normalised('outcome_values.x', 'selecting.centre', 'selecting.spread') }}
            else outcome_values.x
        end as x
    from outcome_values
    inner join prompt_slices
        on outcome_values.study_id = prompt_slices.study_id
        and outcome_values.prompt_id = prompt_slices.prompt_id
    inner join selecting
        on prompt_slices.slice_id = selecting.slice_id
        and outcome_values.outcome_position = selecting.outcome_position
),

means as (
    select slice_id, outcome_position, selection_position, avg(x) as mean
    from held_against
    group by slice_id, outcome_position, selection_position
),

placed as (
    select
        *,
        row_number() over (partition by slice_id, outcome_position, selection_position order by x) - 1 as place,
        count(*) over (partition by slice_id, outcome_position, selection_position) - 1 as last_place
    from held_against
    where standard in ('median', 'quantile', 'percentile', 'quantile_range', 'percentile_range')
),

quantiles as (
    -- linear between the two values beside the quantile
    select
        slice_id,
        outcome_position,
        selection_position,
        sum(x * greatest(0, 1 - abs(place - level_low * last_place))) as quantile_low,
        sum(x * greatest(0, 1 - abs(place - level_high * last_place))) as quantile_high
    from placed
    group by slice_id, outcome_position, selection_position
),

bins as (
    select
        slice_id,
        outcome_position,
        selection_position,
        {{ mode_bin('x', 'bin_width') }} as bin,
        count(*) as n_bin
    from held_against
    where standard = 'mode' and x is not null
    group by slice_id, outcome_position, selection_position, bin
),

fullest as (
    select *, row_number() over (
        partition by slice_id, outcome_position, selection_position order by n_bin desc, bin asc
    ) as place
    from bins
),

standards as (
    select
        selecting.*,
        case
            when selecting.statistic = 'precision' then selecting.threshold
            when selecting.standard = 'mean' then means.mean
            when selecting.standard = 'fixed' then selecting.standard_value
            when selecting.standard <> 'mode' then quantiles.quantile_low
            when selecting.method = 'inside' then {{ mode_edge('fullest.bin', 'selecting.bin_width') }}
            else (fullest.bin + 0.5) * selecting.bin_width
        end as standard_low,
        case
            when selecting.standard = 'mode' and selecting.method = 'inside'
            then {{ mode_edge('(fullest.bin + 1)', 'selecting.bin_width') }}
            else quantiles.quantile_high
        end as standard_high
    from selecting
    inner join means
        on selecting.slice_id = means.slice_id
        and selecting.outcome_position = means.outcome_position
        and selecting.selection_position = means.selection_position
    left join quantiles
        on selecting.slice_id = quantiles.slice_id
        and selecting.outcome_position = quantiles.outcome_position
        and selecting.selection_position = quantiles.selection_position
    left join fullest
        on selecting.slice_id = fullest.slice_id
        and selecting.outcome_position = fullest.outcome_position
        and selecting.selection_position = fullest.selection_position
        and fullest.place = 1
)

select
    study_id,
    slice_id,
    outcome_position,
    selection_position,
    statistic,
    parameters,
    normalise,
    case
        when method = 'inside' and standard = 'mode' then 'inside_bin'
        when method in ('within_range', 'within_percentage') then 'inside'
        else method
    end as method,
    case method
        when 'within_range' then standard_low - threshold
        when 'within_percentage' then standard_low - threshold * abs(standard_low)
        else standard_low
    end as bound_low,
    case method
        when 'within_range' then standard_low + threshold
        when 'within_percentage' then standard_low + threshold * abs(standard_low)
        when 'inside' then standard_high
        else standard_low
    end as bound_high,
    centre,
    spread
from standards

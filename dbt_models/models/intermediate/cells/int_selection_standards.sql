with

{{ normal_scales() }},

measure_slices as (
    select * from {{ source('raw', 'measure_slices') }}
),

selections as (
    -- selection rates first: every outcome has them
    select
        *,
        cast(
            row_number() over (partition by study_id order by statistic desc, parameters asc) - 1 as integer
        ) as selection_position
    from statistics
    where statistic in ('selection_rate', 'precision')
),

selecting as (
    select
        study_id,
        slice_id,
        outcome_position,
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
        -- the scale of its values, NULL where they are as they are
        case when selections.normalise = 'before' then selections.normalise_over end as normalise_over
    from outcomes
    inner join measure_slices using (study_id, measure_id)
    inner join selections using (study_id)
    where
        outcomes.kind = 'continuous'
        and (selections.statistic = 'selection_rate' or outcomes.calibration = 'raw')
),

plain_means as (
    select prompt_slices.slice_id, outcome_values.outcome_position, avg(outcome_values.x) as mean
    from outcome_values
    inner join prompt_slices using (prompt_position)
    group by prompt_slices.slice_id, outcome_values.outcome_position
),

{{ standard_averages() }},

standards as (
    select
        selecting.*,
        scales.centre,
        scales.spread,
        case
            when selecting.statistic = 'precision' then selecting.threshold
            when selecting.standard = 'mean' and selecting.normalise = 'before' then means.mean
            when selecting.standard = 'mean' then plain_means.mean
            when selecting.standard = 'fixed' then selecting.standard_value
            when selecting.standard <> 'mode' then quantiles.quantile_low
            when selecting.method = 'inside' then {{ mode_edge('fullest.bin', 'selecting.bin_width') }}
            else (fullest.bin + 0.5e0) * selecting.bin_width
        end as standard_low,
        case
            when selecting.standard = 'mode' and selecting.method = 'inside'
            then {{ mode_edge('(fullest.bin + 1)', 'selecting.bin_width') }}
            else quantiles.quantile_high
        end as standard_high
    from selecting
    -- no values, no standard
    inner join plain_means using (slice_id, outcome_position)
    left join scales using (study_id, slice_id, outcome_position, normalise_over)
    left join means using (slice_id, outcome_position, selection_position)
    left join quantiles using (slice_id, outcome_position, selection_position)
    left join fullest using (slice_id, outcome_position, selection_position)
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

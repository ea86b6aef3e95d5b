-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, group_id, statistic,
-- parameters): the statistics that the study asks for. Selection rates, and statistics that compare with the baseline,
-- for continuous measures only: the selection rate of a binary measure is its mean. Categorical measures have shares
-- instead (outcome_distributions).
-- n_responses counts what the statistic is of: pairs, where it compares with the baseline.
with

group_statistics as (
    select * from {{ ref('int_group_statistics') }}
),

statistic_values as (
    select * from {{ ref('int_statistic_values') }}
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

generations as (
    select * from {{ source('raw', 'generations') }}
),

asked as (
    select * from {{ source('raw', 'statistics') }}
),

selected as (
    select
        comparison_position,
        selection_position,
        group_position,
        cast(sum(n_selected) as double) / sum(n_selectable) as share
    from cells
    where n_selected is not null
    group by comparison_position, selection_position, group_position
),

every_value as (
    select comparison_position, group_position, statistic, parameters, value
    from statistic_values
    union all
    select
        selected.comparison_position,
        selected.group_position,
        standards.statistic,
        standards.parameters,
        selected.share as value
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
        generations.is_baseline,
        asked.statistic,
        asked.parameters,
        asked.is_paired,
        asked.normalise,
        asked.normalise_over,
        asked.expression is not null as is_custom,
        every_value.value as value_as_it_is
    from group_statistics
    inner join asked on group_statistics.study_id = asked.study_id
    inner join generations
        on group_statistics.study_id = generations.study_id
        and group_statistics.generation_id = generations.generation_id
    left join every_value
        on asked.statistic = every_value.statistic
        and asked.parameters = every_value.parameters
        and group_statistics.comparison_position = every_value.comparison_position
        and group_statistics.group_position = every_value.group_position
    where
        group_statistics.kind = 'continuous'
        or (group_statistics.kind = 'binary' and asked.statistic <> 'selection_rate' and not asked.is_paired)
),

pooled as (
    -- what a statistic is normalised by afterwards: the groups of its generation, or of all but the baseline
    select
        study_id,
        slice_id,
        measure_id,
        calibration,
        grouping_id,
        statistic,
        parameters,
        case when normalise_over = 'generation' then generation_id end as generation_id,
        avg(value_as_it_is) as centre,
        case
            when not ({{ has_one_value('max(value_as_it_is)', 'min(value_as_it_is)') }})
            then stddev_samp(value_as_it_is)
        end as spread
    from long_statistics
    where normalise = 'after' and (normalise_over = 'generation' or not is_baseline)
    group by
        study_id,
        slice_id,
        measure_id,
        calibration,
        grouping_id,
        statistic,
        parameters,
        case when normalise_over = 'generation' then generation_id end
),

normalised_statistics as (
    select
        long_statistics.*,
        case
            when long_statistics.normalise = 'after'
            then {{ normalised('long_statistics.value_as_it_is', 'pooled.centre', 'pooled.spread') }}
            else long_statistics.value_as_it_is
        end as value,
        case when long_statistics.is_paired and long_statistics.calibration = 'raw'
            then long_statistics.n_responses - long_statistics.n_pairs else 0
        end as n_unpaired
    from long_statistics
    left join pooled
        on long_statistics.study_id = pooled.study_id
        and long_statistics.slice_id = pooled.slice_id
        and long_statistics.measure_id = pooled.measure_id
        and long_statistics.calibration = pooled.calibration
        and long_statistics.grouping_id = pooled.grouping_id
        and long_statistics.statistic = pooled.statistic
        and long_statistics.parameters = pooled.parameters
        and long_statistics.normalise = 'after'
        and (pooled.generation_id is null or long_statistics.generation_id = pooled.generation_id)
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
    n_responses - n_unpaired as n_responses,
    n_missing + n_unpaired as n_missing,
    n_unpaired,
    case when is_paired and calibration = 'raw' then n_root_prompts_paired else n_root_prompts end as n_root_prompts,
    case
        when value is not null then null
        when is_paired and calibration = 'calibrated' then 'already_calibrated'
        when n_responses = 0 then 'no_values'
        when is_paired and n_pairs = 0 then 'no_baseline'
        when is_custom then 'custom_undefined'
        when {{ has_too_few_values('statistic', 'n_responses - n_unpaired') }} then 'too_few_values'
        else 'constant_values'
    end as reason,
    kind,
    normalise,
    is_custom,
    group_position,
    comparison_position
from normalised_statistics

-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, group_id, statistic,
-- parameters): the statistics that the study asks for. Selection rates, and statistics that compare with the baseline,
-- for continuous measures only: the selection rate of a binary measure is its mean. Categorical measures have shares
-- instead (outcome_distributions).
-- n_responses counts what the statistic is of: pairs, where it compares with the baseline.
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
        cast(sum(n_selected) as double) / sum(n_selectable) as share
    from cells
    where n_selected is not null
    group by comparison_position, selection_position, group_position
),

-- shares selected have a row for every group too, with or without responses
selected_shares as (
    select
        selected.comparison_position,
        selected.group_position,
        standards.statistic,
        standards.parameters,
        selected.share
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
        {{ is_paired('asked.statistic') }} as is_paired,
        case asked.statistic
            {% for name in column_statistics() %}
            when '{{ name }}' then group_statistics.{{ name }}
            {% endfor %}
            else selected_shares.share
        end as value
    from group_statistics
    inner join asked on group_statistics.study_id = asked.study_id
    left join selected_shares
        on asked.statistic = selected_shares.statistic
        and asked.parameters = selected_shares.parameters
        and group_statistics.comparison_position = selected_shares.comparison_position
        and group_statistics.group_position = selected_shares.group_position
    where
        group_statistics.kind = 'continuous'
        or (
            group_statistics.kind = 'binary'
            and asked.statistic <> 'selection_rate'
            and not {{ is_paired('asked.statistic') }}
        )
),

counted as (
    select
        *,
        case when is_paired and calibration = 'raw' then n_responses - n_pairs else 0 end as n_unpaired
    from long_statistics
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
        when {{ has_too_few_values('statistic', 'n_responses - n_unpaired') }} then 'too_few_values'
        else 'constant_values'
    end as reason,
    kind,
    group_position,
    comparison_position
from counted

-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, group_id, contrast) of a
-- continuous or binary measure, where the study asks for it: a statistic of a group minus that of the pooled rest, on
-- the responses of the blocks in which the group meets another (int_grouped_values); statistics that compare with the
-- baseline of continuous measures, on pairs. Only ever against the rest. Of a statistic with several options the first
-- in the order of parameters. Source: metrics.md 2 and 6.3.
with

group_statistics as (
    select * from {{ ref('int_group_statistics') }}
),

statistic_values as (
    select * from {{ ref('int_statistic_values') }} where side in ('own', 'rest')
),

custom_statistics as (
    select * from {{ ref('int_custom_statistics') }} where side in ('own', 'rest')
),

contrasts as (
    select * from {{ source('raw', 'contrasts') }}
),

statistics as (
    select * from {{ source('raw', 'statistics') }}
),

group_and_rest as (
    select * from statistic_values
    union all
    select * from custom_statistics
),

requested as (
    select
        statistics.study_id,
        statistics.statistic,
        statistics.is_paired,
        statistics.expression is not null as is_custom,
        min(statistics.parameters) as parameters
    from statistics
    inner join contrasts
        on statistics.study_id = contrasts.study_id
        and statistics.statistic || '_difference' = contrasts.contrast
    where statistics.normalise = '' and statistics.statistic not in ('mean', 'selection_rate', 'precision')
    group by statistics.study_id, statistics.statistic, statistics.is_paired, statistics.expression is not null
),

counts as (
    select
        group_statistics.*,
        requested.statistic,
        requested.parameters,
        requested.is_paired,
        requested.is_custom,
        case when requested.is_paired then group_statistics.n_pairs else group_statistics.n_responses end as n_values
    from group_statistics
    inner join requested using (study_id)
    where group_statistics.kind = 'continuous' or (group_statistics.kind = 'binary' and not requested.is_paired)
),

totals as (
    select comparison_position, statistic, sum(n_values) as n_values_all
    from counts
    group by comparison_position, statistic
),

reasoned as (
    select
        counts.*,
        own.value - rest.value as difference,
        case
            when counts.n_responses = 0 then 'no_values'
            when counts.is_paired and counts.calibration = 'calibrated' then 'already_calibrated'
            when counts.n_values = 0 then 'no_baseline'
            when counts.n_values = totals.n_values_all then 'no_complement'
            when own.n is null then 'no_block'
            when own.value is not null and rest.value is not null then null
            when counts.is_custom then 'custom_undefined'
            when {{ has_too_few_values('counts.statistic', 'least(own.n, rest.n)') }} then 'too_few_values'
            else 'constant_values'
        end as reason
    from counts
    inner join totals using (comparison_position, statistic)
    left join group_and_rest as own
        on counts.comparison_position = own.comparison_position
        and counts.group_position = own.group_position
        and counts.statistic = own.statistic
        and counts.parameters = own.parameters
        and own.side = 'own'
    left join group_and_rest as rest
        on counts.comparison_position = rest.comparison_position
        and counts.group_position = rest.group_position
        and counts.statistic = rest.statistic
        and counts.parameters = rest.parameters
        and rest.side = 'rest'
)

select
    study_id,
    slice_id,
    generation_id,
    measure_id,
    calibration,
    grouping_id,
    group_id,
    statistic || '_difference' as contrast,
    category,
    'rest' as reference,
    case when reason is null then difference end as value,
    n_responses,
    case when is_paired then n_root_prompts_paired else n_root_prompts end as n_root_prompts,
    reason
from reasoned

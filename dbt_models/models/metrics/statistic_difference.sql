with

group_statistics as (
    select * from {{ ref('int_group_statistics') }}
),

statistic_values as (
    select comparison_position, group_position, statistic, parameters, value, cast(null as varchar) as why_none
    from {{ ref('int_statistic_values') }}
    union all
    select comparison_position, group_position, statistic, parameters, value, 'custom_undefined' as why_none
    from {{ ref('int_custom_statistics') }}
    union all
    select comparison_position, group_position, statistic, parameters, value, reason as why_none
    from {{ ref('int_function_statistics') }}
),

contrasts as (
    select * from {{ source('raw', 'contrasts') }}
),

statistics as (
    select * from {{ source('raw', 'statistics') }}
),

requested as (
    select
        statistics.study_id,
        statistics.statistic,
        statistics.is_paired,
        statistics.parameters
    from statistics
    inner join contrasts
        on statistics.study_id = contrasts.study_id
        and statistics.statistic || '_difference' = contrasts.contrast
    where statistics.normalise = '' and statistics.statistic not in ('mean', 'selection_rate', 'precision')
    union all
    -- a mean is compared whoever asks, and that of normalised values is no line of mean_difference
    select study_id, statistic, is_paired, parameters
    from statistics
    where statistic = 'mean' and normalise = 'before'
),

counts as (
    select
        group_statistics.*,
        requested.statistic,
        requested.parameters,
        requested.is_paired,
        case when requested.is_paired then group_statistics.n_pairs else group_statistics.n_responses end as n_values
    from group_statistics
    inner join requested using (study_id)
    where group_statistics.kind = 'continuous' or (group_statistics.kind = 'binary' and not requested.is_paired)
),

compared as (
    select
        counts.*,
        statistic_values.value as own_value,
        statistic_values.why_none,
        count(statistic_values.value) over of_groups as n_known,
        sum(statistic_values.value) over of_groups as sum_of_known
    from counts
    left join statistic_values using (comparison_position, group_position, statistic, parameters)
    window of_groups as (partition by comparison_position, statistic, parameters)
),

reasoned as (
    select
        *,
        case when n_known > 1 then own_value - (sum_of_known - own_value) / (n_known - 1) end as difference,
        case
            when n_responses = 0 then 'no_values'
            when is_paired and calibration = 'calibrated' then 'already_calibrated'
            when n_values = 0 then 'no_baseline'
            when own_value is not null and n_known > 1 then null
            when own_value is not null then 'no_complement'
            when why_none is not null then why_none
            when {{ has_too_few_values('statistic', 'n_values') }} then 'too_few_values'
            else 'constant_values'
        end as reason
    from compared
)

select
    study_id,
    slice_id,
    system_id,
    measure_id,
    calibration,
    grouping_id,
    statistic,
    parameters,
    group_id,
    statistic || '_difference' as contrast,
    category,
    'rest' as reference,
    case when reason is null then difference end as value,
    case when reason is null then difference end as value_responses,
    n_responses,
    case when is_paired then n_root_prompts_paired else n_root_prompts end as n_root_prompts,
    reason
from reasoned

with

risk_differences as (
    select * from {{ ref('risk_difference') }}
),

group_statistics as (
    select * from {{ ref('int_group_statistics') }} where kind = 'binary'
),

differences as (
    select * from {{ ref('int_group_differences') }} where statistic = 'mean'
),

response_differences as (
    select * from {{ ref('int_response_differences') }} where statistic = 'mean'
),

rates as (
    select
        risk_differences.*,
        differences.own_mean as own_rate,
        differences.other_mean as other_rate,
        response_differences.own_mean as own_rate_responses,
        response_differences.other_mean as other_rate_responses
    from risk_differences
    inner join group_statistics
        using (study_id, slice_id, system_id, measure_id, calibration, grouping_id, category, group_id)
    left join differences using (comparison_position, group_position, reference)
    left join response_differences using (comparison_position, group_position, reference)
),

reasoned as (
    select
        *,
        coalesce(
            reason,
            case
                when {{ has_no_odds('own_rate', 'other_rate') }}
                then 'rate_zero_or_one'
            end
        ) as reason_of_odds
    from rates
)

select
    study_id,
    slice_id,
    system_id,
    measure_id,
    calibration,
    grouping_id,
    'mean' as statistic,
    '' as parameters,
    group_id,
    'log_disparity' as contrast,
    category,
    reference,
    case when reason_of_odds is null then {{ log_odds_ratio('own_rate', '1', 'other_rate', '1') }} end as value,
    case
        when not {{ has_no_odds('own_rate_responses', 'other_rate_responses') }}
        then {{ log_odds_ratio('own_rate_responses', '1', 'other_rate_responses', '1') }}
    end as value_responses,
    n_responses,
    n_root_prompts,
    reason_of_odds as reason
from reasoned

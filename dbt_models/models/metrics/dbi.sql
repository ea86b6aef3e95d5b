with

group_statistics as (
    select * from {{ ref('int_group_statistics') }} where kind = 'continuous'
),

differences as (
    select * from {{ ref('int_group_differences') }} where statistic = 'mean' and reference = 'grand_mean'
),

response_differences as (
    select * from {{ ref('int_response_differences') }} where statistic = 'mean' and reference = 'grand_mean'
),

designs as (
    select * from {{ ref('int_designs') }}
),

pooled_statistics as (
    select * from {{ ref('int_pooled_statistics') }} where kind = 'continuous'
),

requested as (
    select * from {{ source('raw', 'contrasts') }} where contrast = 'dbi'
),

reasoned as (
    select
        group_statistics.*,
        differences.difference,
        response_differences.own_mean - response_differences.other_mean as response_difference,
        coalesce(differences.n_root_prompts_compared, 0) as n_root_prompts_compared,
        designs.response_sd,
        case
            when group_statistics.n_responses = 0 then 'no_values'
            when designs.n_groups = 1 then 'no_complement'
            when differences.difference is null then 'no_block'
            when designs.response_sd <= 1e-12 * abs(group_statistics.mean) then 'constant_values'
        end as reason
    from group_statistics
    inner join requested using (study_id)
    left join designs using (comparison_position)
    left join differences using (comparison_position, group_position)
    left join response_differences using (comparison_position, group_position)
),

-- of all models together responses count alike here: cells that all of them answered are inference's
centred as (
    select
        *,
        sum(n_responses) over comparison as n_of_all,
        sum(total) over comparison / nullif(sum(n_responses) over comparison, 0) as mean_of_all
    from pooled_statistics
    window comparison as (partition by comparison_position)
),

deviations as (
    select
        *,
        -- one response has no spread
        sqrt(
            sum((n_responses - 1) * coalesce(variance, 0) + n_responses * power(mean - mean_of_all, 2))
                over (partition by comparison_position)
            / nullif(n_of_all - 1, 0)
        ) as response_sd
    from centred
),

pooled as (
    select
        *,
        (mean - mean_of_all) / nullif(response_sd, 0) as dbi,
        case
            when n_responses = 0 then 'no_values'
            when n_responses = n_of_all then 'no_complement'
            when response_sd <= 1e-12 * abs(mean) then 'constant_values'
        end as reason
    from deviations
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
    'dbi' as contrast,
    category,
    'grand_mean' as reference,
    case when reason is null then difference / response_sd end as value,
    case when response_sd > 1e-12 * abs(mean) then response_difference / response_sd end as value_responses,
    n_responses,
    n_root_prompts_compared as n_root_prompts,
    reason
from reasoned
union all
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
    'dbi' as contrast,
    category,
    'grand_mean' as reference,
    case when reason is null then dbi end as value,
    case when reason is null then dbi end as value_responses,
    n_responses,
    n_root_prompts,
    reason
from pooled

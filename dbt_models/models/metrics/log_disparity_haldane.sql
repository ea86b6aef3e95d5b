with

group_statistics as (
    select * from {{ ref('int_group_statistics') }} where kind = 'binary'
),

group_references as (
    select * from {{ ref('int_references') }}
),

counts as (
    select
        *,
        coalesce(total, 0) as n_deviating,
        sum(coalesce(total, 0)) over comparison as n_deviating_all,
        sum(n_responses) over comparison as n_responses_all
    from group_statistics
    window comparison as (partition by comparison_position)
),

compared as (
    select
        counts.*,
        group_references.reference,
        group_references.is_pair,
        case
            when group_references.is_pair then coalesce(others.n_deviating, 0)
            when group_references.reference = 'grand_mean' then counts.n_deviating_all
            else counts.n_deviating_all - counts.n_deviating
        end as n_deviating_other,
        case
            when group_references.is_pair then coalesce(others.n_responses, 0)
            when counts.n_responses_all = counts.n_responses then 0
            when group_references.reference = 'grand_mean' then counts.n_responses_all
            else counts.n_responses_all - counts.n_responses
        end as n_responses_other
    from counts
    inner join group_references using (study_id, slice_id, grouping_id, group_position)
    left join counts as others
        on counts.comparison_position = others.comparison_position
        and group_references.other_position = others.group_position
),

reasoned as (
    select
        *,
        case
            when n_responses = 0 then 'no_values'
            when n_responses_other = 0 and is_pair then 'no_reference'
            when n_responses_other = 0 then 'no_complement'
        end as reason
    from compared
),

valued as (
    select
        *,
        case
            when reason is null
            then {{ log_odds_ratio('n_deviating', 'n_responses', 'n_deviating_other', 'n_responses_other', add='0.5e0') }}
        end as value
    from reasoned
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
    'log_disparity_haldane' as contrast,
    category,
    reference,
    value,
    value as value_responses,
    n_responses,
    n_root_prompts,
    reason
from valued

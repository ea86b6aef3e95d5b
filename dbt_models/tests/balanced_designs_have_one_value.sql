-- Where all blocks are complete and equally replicated, the tested number, over cells, is that of the documents, every
-- response counting alike. Values that differ in their last digits only, such as dates in seconds, leave what is
-- standardised by their spread as many digits less. A group that differs in a later round alone has the value of that
-- round, in which fewer groups are left.
{% set keys = ['study_id', 'slice_id', 'system_id', 'measure_id', 'calibration', 'grouping_id'] %}
{% set of_means = [
    'mean_difference', 'risk_difference', 'log_disparity', 'selection_rate_difference', 'precision_difference',
    'fdi_group', 'jsd_group'
] %}
with

profiles as (
    select
        {{ keys | join(', ') }},
        statistic,
        parameters,
        is_balanced,
        case when value_sd > 0 then greatest(abs(value_max), abs(value_min)) / value_sd else 0 end as lost
    from {{ ref('int_statistic_profiles') }}
    union all
    select {{ keys | join(', ') }}, statistic, parameters, is_balanced, 0 as lost from {{ ref('int_label_profiles') }}
),

-- means and shares are of all responses; a statistic needs all of its values
balanced as (
    select distinct {{ keys | join(', ') }}, case when category = '' then 'mean' else 'share' end as statistic
    from {{ ref('int_comparisons') }}
    inner join {{ ref('int_designs') }} using (comparison_position)
    where is_balanced
    union all
    select {{ keys | join(', ') }}, statistic
    from profiles
    where statistic not in ('mean', 'share')
    group by {{ keys | join(', ') }}, statistic
    having min(cast(is_balanced as integer)) = 1
),

compared as (
    select
        'disparities' as mart,
        {{ keys | join(', ') }},
        metric as name,
        statistic || ' ' || parameters as place,
        value,
        value_responses,
        greatest(1e-9, 1e-13 * profiles.lost) as tolerance
    from {{ ref('disparities') }}
    inner join profiles using ({{ keys | join(', ') }}, statistic, parameters)
    where profiles.is_balanced and metric <> 'impact_ratio_below_four_fifths'
    union all
    select
        'contrasts' as mart,
        {{ keys | join(', ') }},
        contrast as name,
        group_id || ' ' || category || ' ' || reference as place,
        value,
        value_responses,
        case when contrast in ('{{ of_means | join("', '") }}') then 1e-9 else 1e-5 end as tolerance
    from {{ ref('contrasts') }}
    inner join balanced using ({{ keys | join(', ') }}, statistic)
    where contrast <> 'interaction' and selected_reason is distinct from 'differs_later'
)

select *
from compared
where
    value is not null
    and (value_responses is null or abs(value - value_responses) > tolerance * greatest(abs(value), 1))

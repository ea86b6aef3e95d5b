{# One disparity metric over the groups of a grouping: the columns that all of them share.
   value: an expression over the columns of profiles; reasons: condition -> reason, in this order, beyond too few
   groups; parameters: what is written after those of the statistic, which inference knows the row by; where: which
   profiles have the metric; profiles: int_statistic_profiles, or int_label_profiles of categorical measures. #}
{% macro disparity_metric(
    metric, value, reasons={}, parameters=none, where='true', profiles='int_statistic_profiles'
) -%}
with

profiles as (
    select * from {{ ref(profiles) }}
),

reasoned as (
    select
        *,
        case
            when n_groups = 0 then 'no_values'
            when n_groups = 1 then 'one_group'
            {% for condition, reason in reasons.items() %}
            when {{ condition }} then '{{ reason }}'
            {% endfor %}
        end as reason
    from profiles
    where {{ where }}
)

select
    study_id,
    slice_id,
    system_id,
    measure_id,
    calibration,
    grouping_id,
    statistic,
    {% if parameters is none %}
    parameters,
    {% else %}
    case when parameters = '' then '' else parameters || ';' end || {{ parameters }} as parameters,
    {% endif %}
    parameters as statistic_parameters,
    '{{ metric }}' as metric,
    case when reason is null then {{ value }} end as value,
    group_low,
    group_high,
    n_low,
    n_high,
    n_groups,
    n_responses,
    n_root_prompts,
    reason
from reasoned
{%- endmacro %}

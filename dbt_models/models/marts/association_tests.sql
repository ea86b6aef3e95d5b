{% set keys = 'study_id, slice_id, system_id, measure_id, grouping_id' %}
with

tests as (
    select *, test in ('levene', 'shapiro') as is_descriptive
    from {{ source('inference', 'association_tests') }}
),

disparities as (
    select * from {{ ref('disparities') }}
),

of_labels as (
    select {{ keys }}, p_value, null_q95, scope
    from disparities
    where metric = 'cramers_v' and calibration = 'raw'
),

of_means as (
    select {{ keys }}, p_value, value, null_q95, scope
    from disparities
    where
        metric = 'standard_deviation'
        and statistic = 'mean'
        and calibration = 'raw'
        and parameters = ''
        and abs(value - value_responses) <= 1e-9
)

select
    study_id,
    slice_id,
    system_id,
    measure_id,
    grouping_id,
    tests.test,
    tests.term,
    tests.category,
    tests.statistic_value,
    tests.df1,
    tests.df2,
    tests.p_value,
    case
        when tests.test = 'chi_square' then of_labels.p_value
        when tests.test in ('t_pooled', 'anova') and tests.category = '' then of_means.p_value
        else tests.p_value_permutation
    end as p_value_permutation,
    tests.is_descriptive,
    case
        when tests.test = 'chi_square' then of_labels.null_q95
        when tests.test = 'anova' and tests.category = '' and of_means.value > 0
        then tests.effect_size * power(of_means.null_q95 / of_means.value, 2)
        else tests.null_q95
    end as null_q95,
    case
        when tests.test = 'chi_square' then of_labels.scope
        when tests.test in ('t_pooled', 'anova') and tests.category = '' then of_means.scope
        else tests.scope
    end as scope,
    tests.effect_size_name,
    tests.effect_size,
    tests.effect_size_corrected,
    tests.share_expected_ge5,
    tests.n_responses,
    case
        when tests.share_expected_ge5 < 0.8e0 then tests.method || ', expected counts too small for it'
        else tests.method
    end as method,
    tests.reason,
    tests.inference_reason
from tests
left join of_labels using ({{ keys }})
left join of_means using ({{ keys }})

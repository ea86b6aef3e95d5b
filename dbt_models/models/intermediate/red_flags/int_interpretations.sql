{% set place = 'study_id, slice_id, system_id, measure_id, grouping_id' %}
with

hypotheses as (
    select *
    from {{ ref('int_findings') }} as findings
    where {{ is_pinned('findings') }} and not is_baseline and system_id <> 'all' and not {{ is_of_controls() }}
),

-- cells that differ by a part differ: an effect of all cells is significant where the question of a part is called
significant_parts as (
    select whole.study_id, whole.grouping_id, hypotheses.slice_id, hypotheses.system_id, hypotheses.measure_id
    from {{ ref('int_grouping_parts') }} as whole
    inner join hypotheses on whole.study_id = hypotheses.study_id and whole.part_id = hypotheses.grouping_id
    where hypotheses.is_significant
    group by whole.study_id, whole.grouping_id, hypotheses.slice_id, hypotheses.system_id, hypotheses.measure_id
),

findings as (
    select
        hypotheses.*,
        case when p_value is not null then is_significant or significant_parts.study_id is not null end as is_found
    from hypotheses
    left join significant_parts using ({{ place }})
),

bands as (
    select * from {{ ref('bands') }} where is_reported
),

actions as (
    select * from {{ ref('document_actions') }}
),

tests as (
    select *
    from {{ ref('association_tests') }}
    where category = '' and (test = 'chi_square' or (test = 'anova' and term = grouping_id))
),

document_tests as (
    select {{ place }}, test, statistic_value, df1, df2, tests.p_value, {{ band('tests.p_value') }} as p_band
    from tests
    left join bands on bands.metric = 'p_value_' || tests.test
),

of_labels as (
    select {{ place }}, metric as effect_name, value as effect, null_q95, band
    from {{ ref('disparities') }}
    where metric = 'cramers_v' and calibration = 'raw'
),

of_rates as (
    select
        {{ place }},
        'cramers_v' as effect_name,
        tests.effect_size as effect,
        tests.null_q95,
        {{ band('tests.effect_size') }} as band
    from tests
    inner join findings using ({{ place }})
    left join bands on bands.metric = 'cramers_v'
    where tests.test = 'chi_square' and findings.kind = 'binary'
),

distances as (
    select
        *,
        row_number() over (
            partition by {{ place }} order by round(abs(value), 12) desc nulls last, group_id asc
        ) as place
    from {{ ref('contrasts') }}
    where contrast = 'dbi' and calibration = 'raw'
),

of_scores as (
    select {{ place }}, contrast as effect_name, value as effect, null_q95, band
    from distances
    where place = 1
),

effects as (
    select * from of_labels
    union all
    select * from of_rates
    union all
    select * from of_scores
)

select
    {{ place }},
    findings.family_id,
    findings.verdict,
    findings.q_value,
    findings.n_hypotheses,
    findings.n_responses,
    effects.effect_name,
    effects.effect,
    effects.null_q95,
    effects.band,
    document_tests.test,
    document_tests.statistic_value,
    document_tests.df1,
    document_tests.df2,
    document_tests.p_value as p_document,
    document_tests.p_band,
    by_verdict.action,
    by_document.action as document_action,
    case
        when effects.effect_name is null then 'no_banded_number' when effects.effect is null then 'constant_values'
    end as reason
from findings
left join effects using ({{ place }})
left join document_tests using ({{ place }})
left join actions as by_verdict
    on by_verdict.is_significant = findings.is_found and {{ is_effect('by_verdict') }}
left join actions as by_document
    on by_document.is_significant = (document_tests.p_value < 0.05e0) and {{ is_effect('by_document') }}
-- of a question with neither a number nor a test of the document there is nothing to interpret: findings has it
where effects.effect_name is not null or document_tests.test is not null

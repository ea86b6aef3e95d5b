-- Every reason in the marts is a row of the seed.
with

used as (
    select 'measurements' as mart, reason from {{ ref('measurements') }}
    union all
    select 'factor_aliasing' as mart, reason from {{ ref('factor_aliasing') }}
    {% for mart in [
        'summary_statistics', 'contrasts', 'disparities', 'findings', 'subgroups', 'system_comparisons',
        'factor_importance', 'factor_models',
    ] %}
    union all
    select '{{ mart }}' as mart, reason from {{ ref(mart) }}
    union all
    select '{{ mart }}' as mart, inference_reason as reason from {{ ref(mart) }}
    {% endfor %}
    union all
    select 'system_comparisons' as mart, reason_alone as reason from {{ ref('system_comparisons') }}
    {% for estimate in ['agreement', 'kappa', 'alpha', 'sensitivity', 'specificity', 'precision'] %}
    union all
    select 'label_agreement' as mart, {{ estimate }}_reason as reason from {{ ref('label_agreement') }}
    {% endfor %}
    {% for number in ['seconds', 'tokens', 'retries'] %}
    union all
    select 'calls' as mart, {{ number }}_reason as reason from {{ ref('calls') }}
    {% endfor %}
    union all
    select 'systems' as mart, served_models_reason as reason from {{ ref('systems') }}
    union all
    select 'systems' as mart, system_fingerprints_reason as reason from {{ ref('systems') }}
    union all
    select 'v_factors' as mart, deviance_reason as reason from {{ ref('v_factors') }}
    {% for mart in ['contrasts', 'system_comparisons'] %}
    union all
    select '{{ mart }}' as mart, missing_reason as reason from {{ ref(mart) }}
    {% endfor %}
    {% for mart in [
        'subgroup_metrics', 'association_tests', 'ground_truth', 'repetition_consistency', 'cross_model_consistency',
         'red_flags', 'interpretations', 'imported_metrics', 'scorers', 'v_scorers',
        'hypotheses', 'human_labels', 'pair_labels', 'pair_errors', 'run_findings', 'v_changed_since', 'v_factors',
    ] %}
    union all
    select '{{ mart }}' as mart, reason from {{ ref(mart) }}
    {% endfor %}
)

select used.mart, used.reason, count(*) as n_rows
from used
left join {{ ref('reasons') }} as reasons on used.reason = reasons.reason
where used.reason is not null and reasons.reason is null
group by used.mart, used.reason

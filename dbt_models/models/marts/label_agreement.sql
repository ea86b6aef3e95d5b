with

label_agreement as (
    select * from {{ source('inference', 'label_agreement') }}
)

select
    study_id,
    measure_id,
    slice_id,
    system_id,
    model_family,
    grouping_id,
    group_id,
    comparison,
    rater,
    other_rater,
    n,
    n_root_prompts,
    n_raters,
    n_automatic,
    n_positive,
    n_ties,
    n_unscored,
    agreement,
    agreement_low,
    agreement_high,
    agreement_reason,
    kappa,
    kappa_low,
    kappa_high,
    kappa_reason,
    alpha,
    alpha_low,
    alpha_high,
    alpha_reason,
    sensitivity,
    sensitivity_low,
    sensitivity_high,
    sensitivity_reason,
    specificity,
    specificity_low,
    specificity_high,
    specificity_reason,
    label_agreement.precision,
    precision_low,
    precision_high,
    precision_reason
from label_agreement

with

scorers as (
    select * from {{ ref('int_scorers') }}
)

select
    study_id,
    measure_id,
    scorer,
    label_set,
    model,
    model_revision,
    scorer_version,
    languages,
    parameters,
    probe,
    material,
    source,
    licence,
    labelled_by,
    language,
    model_family,
    topic,
    validated_version,
    is_current,
    is_training,
    n,
    n_positive,
    n_left_out,
    recall,
    recall_low,
    recall_high,
    precision,
    precision_low,
    precision_high,
    specificity,
    specificity_low,
    specificity_high,
    agreement,
    agreement_low,
    agreement_high,
    kappa,
    kappa_low,
    kappa_high,
    reason
from scorers

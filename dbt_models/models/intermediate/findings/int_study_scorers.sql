with

packaged as (
    select * from {{ source('raw', 'scorers') }}
),

label_agreement as (
    select * from {{ source('inference', 'label_agreement') }}
),

human_labels as (
    select * from {{ source('raw', 'human_labels') }}
),

readers as (
    select distinct
        study_id,
        measure_id,
        scorer,
        label_set,
        model,
        model_revision,
        scorer_version,
        languages,
        parameters,
        probe
    from packaged
),

raters as (
    select study_id, measure_id, {{ joined_text('rater', ', ', 'rater') }} as raters
    from (
        select distinct study_id, measure_id, rater || case when is_automatic then ' (automatic)' else '' end as rater
        from human_labels
        where reason is null
    )
    group by study_id, measure_id
),

-- what people say of answers of the study, all of them and by family of models
of_study as (
    select *
    from label_agreement
    where
        comparison = 'people_and_reading' and slice_id = 'all' and system_id = 'all' and grouping_id = '' and n > 0
)

select
    of_study.study_id,
    of_study.measure_id,
    readers.scorer,
    readers.label_set,
    readers.model,
    readers.model_revision,
    readers.scorer_version,
    readers.languages,
    readers.parameters,
    readers.probe,
    'this study' as material,
    'labels of this study' as source,
    '' as licence,
    raters.raters as labelled_by,
    '' as language,
    of_study.model_family,
    '' as topic,
    readers.scorer_version as validated_version,
    true as is_current,
    false as is_training,
    cast(of_study.n as integer) as n,
    cast(of_study.n_positive as integer) as n_positive,
    cast(null as integer) as n_left_out,
    of_study.sensitivity as recall,
    of_study.sensitivity_low as recall_low,
    of_study.sensitivity_high as recall_high,
    of_study.precision,
    of_study.precision_low,
    of_study.precision_high,
    of_study.specificity,
    of_study.specificity_low,
    of_study.specificity_high,
    of_study.agreement,
    of_study.agreement_low,
    of_study.agreement_high,
    of_study.kappa,
    of_study.kappa_low,
    of_study.kappa_high,
    cast(null as varchar) as reason
from of_study
inner join readers using (study_id, measure_id)
inner join raters using (study_id, measure_id)

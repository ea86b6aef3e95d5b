with

scorers as (
    select * from {{ ref('int_scorers') }}
),

families as (
    select distinct study_id, model_family
    from {{ source('raw', 'systems') }}
    where not is_baseline and not is_engine
),

measures as (
    select study_id, measure_id, kind from {{ source('raw', 'measures') }}
),

readers as (
    select
        study_id,
        measure_id,
        scorer,
        label_set,
        model,
        scorer_version,
        max(case when material = '' then reason end) as reason
    from scorers
    group by study_id, measure_id, scorer, label_set, model, scorer_version
),

known as (
    select
        study_id,
        measure_id,
        model_family,
        min(recall) as recall_low,
        max(recall) as recall_high,
        min(scorers.precision) as precision_low,
        max(scorers.precision) as precision_high,
        cast(sum(n) as bigint) as n,
        min(is_current) as is_current
    from scorers
    where
        topic = ''
        and (
            material = 'this study'
            or (
                material = 'real answers' and model_family <> ''
                and (languages = '' or concat('|', languages, '|') like concat('%|', language, '|%'))
            )
        )
    group by study_id, measure_id, model_family
)

select
    families.study_id,
    readers.measure_id,
    families.model_family,
    measures.kind,
    readers.scorer,
    readers.label_set,
    readers.model,
    readers.scorer_version,
    known.n,
    known.recall_low,
    known.recall_high,
    known.precision_low,
    known.precision_high,
    known.is_current,
    readers.reason
from families
inner join readers using (study_id)
inner join measures using (study_id, measure_id)
left join known using (study_id, measure_id, model_family)

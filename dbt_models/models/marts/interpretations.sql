{% set place = 'study_id, slice_id, system_id, measure_id, grouping_id' %}
with

interpretations as (
    select * from {{ ref('int_interpretations') }}
),

sentences as (
    select * from {{ ref('int_interpretation_sentences') }}
)

select
    {{ place }},
    interpretations.family_id,
    interpretations.verdict,
    interpretations.q_value,
    interpretations.effect_name,
    interpretations.effect as value,
    interpretations.null_q95,
    interpretations.band,
    interpretations.test,
    interpretations.statistic_value,
    interpretations.df1,
    interpretations.df2,
    interpretations.p_document,
    interpretations.p_band,
    interpretations.action,
    interpretations.document_action,
    interpretations.n_responses,
    sentences.sentence,
    interpretations.reason
from interpretations
inner join sentences using ({{ place }})

with

red_flags as (
    select * from {{ ref('int_red_flags') }}
),

sentences as (
    select * from {{ ref('int_red_flag_sentences') }}
)

select
    study_id,
    flag_id,
    red_flags.flag,
    red_flags.status,
    red_flags.slice_id,
    red_flags.system_id,
    red_flags.measure_id,
    red_flags.grouping_id,
    red_flags.metric,
    red_flags.group_id,
    red_flags.category,
    red_flags.reference,
    red_flags.value,
    red_flags.threshold,
    red_flags.null_q95,
    -- of a metric its own; what is said of a group alone tests nothing, and has that of the hypothesis
    case when red_flags.group_id = '' then red_flags.verdict end as verdict,
    case when red_flags.group_id <> '' then red_flags.verdict end as hypothesis_verdict,
    red_flags.n_models,
    sentences.sentence,
    red_flags.reason
from red_flags
inner join sentences using (study_id, flag_id)

with

sentences as (
    select * from {{ source('raw', 'sentences') }}
),

outcomes as (
    select study_id, sentence_id, dropped_reason as not_assembled_because, portability
    from {{ source('raw', 'sentence_outcomes') }}
),

branched as (
    select study_id, root_prompt_id as sentence_id, 1 as is_branched
    from {{ source('raw', 'prompts') }}
    where not is_root and negative_control is null
    group by study_id, root_prompt_id
),

steps as (
    select
        study_id,
        count(*) as sentences,
        sum(case when dropped_reason is null then 1 else 0 end) as kept,
        -- of a root prompt that was left out because it is not portable, portability says so
        sum(
            case
                when dropped_reason is null and (not_assembled_because is null or portability is not null) then 1
                else 0
            end
        ) as roots,
        sum(case when portability = 'portable' then 1 else 0 end) as portable,
        sum(case when dropped_reason is null then coalesce(is_branched, 0) else 0 end) as branched,
        count(portability) as n_checked
    from sentences
    left join outcomes using (study_id, sentence_id)
    left join branched using (study_id, sentence_id)
    group by study_id
),

long as (
    select study_id, 1 as step_position, 'sentences' as step, sentences as n_sentences from steps
    union all
    select study_id, 2 as step_position, 'kept' as step, kept as n_sentences from steps
    union all
    select study_id, 3 as step_position, 'roots' as step, roots as n_sentences from steps
    union all
    select study_id, 4 as step_position, 'portable' as step, portable as n_sentences from steps where n_checked > 0
    union all
    select study_id, 5 as step_position, 'branched' as step, branched as n_sentences from steps where n_checked > 0
)

select
    study_id,
    step,
    step_position,
    cast(n_sentences as bigint) as n_sentences
from long

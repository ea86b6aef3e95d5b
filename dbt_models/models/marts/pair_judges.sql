with

answered as (
    select
        *,
        same_meaning and grammatical and no_source_fact and sounds_natural as passes,
        case fault
            when 'same_meaning' then not same_meaning
            when 'grammatical' then not grammatical
            when 'no_source_fact' then not no_source_fact
            when 'sounds_natural' then not sounds_natural
        end as names_fault
    from {{ source('raw', 'planted_pairs') }}
)

select
    study_id,
    system_id,
    coalesce(fault, 'none') as fault,
    count(*) as n_pairs,
    count(*) - count(passes) as n_unusable,
    count(*) filter (where not passes) as n_refused,
    count(*) filter (where names_fault) as n_named
from answered
group by study_id, system_id, fault

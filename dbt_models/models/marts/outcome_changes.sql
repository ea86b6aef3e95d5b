with

before as (
    select * from {{ source('raw', 'outcomes_before') }}
),

responses as (
    select * from {{ ref('responses') }}
    where outcome is not null
),

groups as (
    select study_id, prompt_id, grouping_id, group_id
    from {{ ref('int_group_members') }}
    where slice_id = 'all'
    union all
    select study_id, prompt_id, '' as grouping_id, '' as group_id
    from {{ source('raw', 'prompts') }}
),

compared as (
    select
        study_id,
        system_id,
        prompt_id,
        coalesce(before.outcome_version, '') as version_before,
        responses.outcome_version as version_now,
        before.outcome as outcome_before,
        responses.outcome as outcome_now
    from before
    -- another text has another reading anyhow
    inner join responses using (study_id, system_id, prompt_id, replicate, response_id)
)

select
    study_id,
    system_id,
    grouping_id,
    group_id,
    version_before,
    version_now,
    count(*) as n_responses,
    count(case when outcome_before <> outcome_now then 1 end) as n_changed,
    count(case when outcome_before <> outcome_now and outcome_now = 'refused' then 1 end) as n_now_refused,
    count(case when outcome_before <> outcome_now and outcome_before = 'refused' then 1 end) as n_no_longer_refused
from compared
inner join groups using (study_id, prompt_id)
group by study_id, system_id, grouping_id, group_id, version_before, version_now

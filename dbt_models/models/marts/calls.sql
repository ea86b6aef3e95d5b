with

{{ requests() }},

sums as (
    select
        study_id,
        system_id,
        outcome,
        count(*) as n_requests,
        count(seconds) as n_seconds_known,
        sum(seconds) as seconds,
        count(n_tokens_in + n_tokens_out) as n_tokens_known,
        sum(case when n_tokens_out is not null then n_tokens_in end) as n_tokens_in,
        sum(case when n_tokens_in is not null then n_tokens_out end) as n_tokens_out,
        count(n_retries) as n_retries_known,
        sum(n_retries) as n_retries
    from requests
    group by study_id, system_id, outcome
)

select
    study_id,
    system_id,
    model,
    outcome,
    n_requests,
    n_seconds_known,
    seconds,
    case when n_seconds_known = 0 then 'not_recorded' end as seconds_reason,
    n_tokens_known,
    cast(n_tokens_in as bigint) as n_tokens_in,
    cast(n_tokens_out as bigint) as n_tokens_out,
    case when n_tokens_known = 0 then 'not_recorded' end as tokens_reason,
    n_retries_known,
    cast(n_retries as bigint) as n_retries,
    case when n_retries_known = 0 then 'not_recorded' end as retries_reason
from sums
inner join systems using (study_id, system_id)

with

{{ requests() }},

failures as (
    select study_id, system_id, outcome, failed_calls_json, unnest(json_keys(failed_calls_json)) as failure
    from requests
),

counted as (
    select
        study_id,
        system_id,
        outcome,
        failure,
        cast(json_extract(failed_calls_json, '$."' || failure || '"') as bigint) as n
    from failures
)

select
    study_id,
    system_id,
    model,
    outcome,
    failure,
    cast(sum(n) as bigint) as n_failed_calls,
    count(*) as n_requests
from counted
inner join systems using (study_id, system_id)
group by study_id, system_id, model, outcome, failure

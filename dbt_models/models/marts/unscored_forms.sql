with

{{ declared_measures() }},

forms as (
    select
        *,
        trim(regexp_replace(response_text, '\s+', ' ', 'g')) as one_line,
        case when length(one_line) > 80 then substr(one_line, 1, 80) || '...' else one_line end as form
    from measured
    where loss in ('unscored', 'undecided')
),

counted as (
    select
        study_id, system_id, measure_id, loss, reason, form, form || ' ' || reason as form_key, count(*) as n_responses
    from forms
    group by study_id, system_id, measure_id, loss, reason, form
),

ranked as (
    select
        *,
        row_number() over (
            partition by study_id, system_id, measure_id, loss
            order by n_responses desc, form_key asc
        ) as position
    from counted
)

select study_id, system_id, measure_id, cast(position as integer) as position, reason, form, n_responses
from ranked
where position <= 5

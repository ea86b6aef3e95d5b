with

findings as (
    select * from {{ ref('int_findings') }}
),

sentences as (
    select * from {{ ref('int_finding_sentences') }} where group_id = ''
),

studies as (
    select * from {{ source('raw', 'studies') }}
),

systems as (
    select * from {{ source('raw', 'systems') }}
),

responses as (
    select * from {{ source('raw', 'responses') }}
),

-- NULL where some response carries no time of a request, as replayed ones do: it may be older than any freeze
first_requests as (
    select study_id, system_id, case when count(*) = count(requested_at) then min(requested_at) end as requested_at
    from responses
    group by study_id, system_id
),

-- the baseline never was asked: what is said about it is as old as the oldest answer, NULL likewise
first_requests_of_all as (
    select
        first_requests.study_id,
        case when count(*) = count(first_requests.requested_at) then min(first_requests.requested_at) end as requested_at
    from first_requests
    inner join systems using (study_id, system_id)
    where not systems.is_baseline
    group by first_requests.study_id
),

placed as (
    select
        *,
        {{ family_position() }} as family_position,
        {{ verdict_position() }} as verdict_position,
        family_id = 'negative_control' as is_of_controls
    from findings
),

ranked as (
    select
        *,
        row_number() over (
            partition by study_id
            order by
                is_of_controls asc,
                is_tool_bias asc,
                family_position asc,
                family_id asc,
                verdict_position asc,
                round(p_value, 15) asc nulls last,
                round(effect_in_std_errors, 9) desc nulls last,
                system_id asc,
                slice_id asc,
                measure_id asc,
                calibration desc,
                grouping_id asc,
                statistic asc,
                parameters asc
        ) as finding_rank
    from placed
)

select
    {% for key in hypothesis_keys() %}
    ranked.{{ key }},
    {% endfor %}
    ranked.finding_rank,
    ranked.family_id,
    ranked.p_value,
    ranked.q_value,
    ranked.significant_at_look,
    ranked.n_hypotheses,
    ranked.verdict,
    ranked.verdict_reason,
    {% for column in headline_columns() %}
    ranked.{{ column }},
    {% endfor %}
    ranked.n_groups,
    ranked.n_groups_different,
    ranked.n_responses,
    ranked.n_missing,
    ranked.n_draws,
    ranked.n_root_prompts,
    ranked.n_units,
    ranked.scope,
    {% for column in control_columns() %}
    ranked.{{ column }},
    {% endfor %}
    ranked.n_needed,
    ranked.n_needed_for,
    ranked.n_needed_reason,
    ranked.is_tool_bias,
    ranked.is_repeated,
    coalesce(studies.preregistered_at < case
        when ranked.is_baseline or ranked.system_id = 'all' then first_requests_of_all.requested_at
        else first_requests.requested_at
    end, false) as is_preregistered,
    sentences.sentence,
    case when ranked.largest_value is null then ranked.metric_reason end as reason,
    ranked.inference_reason
from ranked
inner join sentences using ({{ hypothesis_keys() | join(', ') }})
inner join studies using (study_id)
left join first_requests using (study_id, system_id)
left join first_requests_of_all using (study_id)

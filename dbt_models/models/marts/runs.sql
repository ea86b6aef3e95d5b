{% set outcomes = ['significant', 'equivalent', 'inconclusive', 'not_testable', 'not_observed', 'not_asked'] -%}
{% set verdicts = ['beyond_margin', 'different', 'inconclusive'] -%}
with

studies as (
    select * from {{ ref('studies') }}
),

system_factors as (
    select * from {{ ref('system_factors') }}
),

systems as (
    select * from {{ ref('systems') }}
),

measurements as (
    select * from {{ ref('measurements') }}
),

hypotheses as (
    select * from {{ ref('hypotheses') }}
),

waves as (
    select study_id, system_id, level as wave
    from system_factors
    where factor = 'wave'
),

described as (
    select
        study_id,
        system_id,
        {{ json_object(['system_id', 'provider', 'model', 'model_digest', 'wave']) }} as system_json
    from systems
    left join waves using (study_id, system_id)
),

asked as (
    select study_id, '[' || {{ joined_text('system_json', ', ', 'system_id') }} || ']' as systems_json
    from described
    group by study_id
),

versions as (
    select study_id, measure_id, scorer_version
    from measurements
    group by study_id, measure_id, scorer_version
),

versioned as (
    select
        study_id,
        measure_id,
        scorer_version,
        {{ json_object(['measure_id', 'scorer_version']) }} as scorer_json
    from versions
),

measured as (
    select
        study_id,
        '[' || {{ joined_text('scorer_json', ', ', 'measure_id, scorer_version') }} || ']' as scorers_json
    from versioned
    group by study_id
),

accounts as (
    select
        study_id,
        {% for outcome in outcomes %}
        sum(case when outcome = '{{ outcome }}' then 1 else 0 end) as n_{{ outcome }},
        {% endfor %}
        {% for verdict in verdicts %}
        sum(case when verdict = '{{ verdict }}' then 1 else 0 end) as n_verdict_{{ verdict }},
        {% endfor %}
        count(*) as n_hypotheses
    from hypotheses
    where not {{ is_of_controls() }}
    group by study_id
)

select
    study_id,
    run_id,
    cast(null as timestamp) as published_at,
    cast(null as string) as publication_id,
    config_sha256,
    plumbline_version,
    coalesce(systems_json, '[]') as systems_json,
    coalesce(scorers_json, '[]') as scorers_json,
    {% for column in ['hypotheses'] + outcomes %}
    cast(coalesce(n_{{ column }}, 0) as bigint) as n_{{ column }},
    {% endfor %}
    {% for verdict in verdicts %}
    cast(coalesce(n_verdict_{{ verdict }}, 0) as bigint) as n_verdict_{{ verdict }},
    {% endfor %}
    {% for column in ['n_calls', 'n_input_tokens', 'n_output_tokens'] %}
    cast(null as bigint) as {{ column }},
    {% endfor %}
    cast(null as double) as cost_usd,
    cast(null as string) as cost_reason,
    cast(null as string) as archive_path,
    cast(null as timestamp) as archive_removed_at
from studies
left join asked using (study_id)
left join measured using (study_id)
left join accounts using (study_id)

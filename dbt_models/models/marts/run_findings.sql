{% set pair = 'study_id, system_id, reference_system_id, measure_id' %}
with

hypotheses as (
    select * from {{ ref('hypotheses') }}
),

studies as (
    select study_id, run_id, significance_level from {{ ref('studies') }}
),

measures as (
    select study_id, measure_id, unit from {{ ref('measures') }}
),

waves as (
    select study_id, system_id, level as wave
    from {{ ref('system_factors') }}
    where factor = 'wave'
),

scorers as (
    select distinct study_id, system_id as measured_id, measure_id, scorer_version
    from {{ ref('measurements') }}
    where value is not null or label is not null
),

pairs as (
    select distinct {{ pair }} from hypotheses
),

-- a question of all generations together, or of a pair of them, rests on what measured each of them
read_by as (
    select distinct pairs.*, scorers.scorer_version
    from pairs
    inner join scorers
        on pairs.study_id = scorers.study_id
        and pairs.measure_id = scorers.measure_id
        and (
            pairs.system_id = 'all'
            or scorers.measured_id in (pairs.system_id, pairs.reference_system_id)
        )
),

versions as (
    select {{ pair }}, {{ joined_text('scorer_version', ' | ', 'scorer_version') }} as scorer_versions
    from read_by
    group by {{ pair }}
)

select
    hypotheses.study_id,
    studies.run_id,
    {% for key in hypothesis_keys() if key != 'study_id' %}
    hypotheses.{{ key }},
    {% endfor %}
    hypotheses.reference_system_id,
    waves.wave,
    hypotheses.family_id,
    hypotheses.outcome,
    hypotheses.reason,
    hypotheses.p_value,
    hypotheses.q_value,
    hypotheses.q_permuted,
    hypotheses.wording,
    hypotheses.verdict,
    {% for column in headline_columns() %}
    hypotheses.{{ column }},
    {% endfor %}
    measures.unit,
    studies.significance_level,
    hypotheses.n_groups,
    hypotheses.n_groups_different,
    hypotheses.n_responses,
    hypotheses.n_missing,
    hypotheses.n_root_prompts,
    hypotheses.n_units,
    versions.scorer_versions
from hypotheses
inner join studies using (study_id)
inner join measures using (study_id, measure_id)
left join waves using (study_id, system_id)
left join versions using ({{ pair }})

{% set of_hypothesis = 'study_id, slice_id, system_id, measure_id' -%}
with

contrasts as (
    select *
    from {{ ref('contrasts') }} as contrasts
    where
        {{ is_of_controls() }}
        and {{ is_pinned('contrasts') }}
        and contrast in ('mean_difference', 'risk_difference')
        and reference in ('rest', 'grand_mean')
),

hypotheses as (
    select *
    from {{ ref('hypotheses') }} as hypotheses
    where {{ is_of_controls() }} and {{ is_pinned('hypotheses') }} and reference_system_id = ''
),

means as (
    select *
    from {{ ref('summary_statistics') }} as summary_statistics
    where {{ is_of_controls() }} and {{ is_pinned('summary_statistics') }}
),

controls as (
    select * from {{ source('raw', 'negative_controls') }}
),

studies as (
    select * from {{ ref('studies') }}
),

systems as (
    select * from {{ ref('systems') }}
),

measures as (
    select * from {{ ref('measures') }}
)

select
    contrasts.study_id,
    contrasts.slice_id,
    contrasts.system_id,
    contrasts.measure_id,
    contrasts.group_id as negative_control,
    contrasts.category,
    studies.title,
    systems.model,
    systems.system_prompt_name,
    measures.kind,
    measures.unit,
    controls.control_position,
    controls.control_type,
    {{ shown_text('controls.edit_text', 'studies.config_json') }} as edit_text,
    {{ rounded('means.value') }} as group_value,
    {% for column in ['value', 'ci_low', 'ci_high', 'q_value'] %}
    {{ rounded('contrasts.' ~ column) }} as {{ column }},
    {% endfor %}
    contrasts.verdict,
    {{ rounded('hypotheses.p_value') }} as p_wording,
    {{ rounded('hypotheses.q_value') }} as hypothesis_q_value,
    hypotheses.verdict as hypothesis_verdict,
    contrasts.n_responses,
    contrasts.n_root_prompts,
    contrasts.reason,
    contrasts.inference_reason
from contrasts
inner join studies using (study_id)
inner join measures using (study_id, measure_id)
left join hypotheses using ({{ of_hypothesis }})
left join means using ({{ of_hypothesis }}, group_id)
left join controls on contrasts.study_id = controls.study_id and contrasts.group_id = controls.negative_control
left join systems on contrasts.study_id = systems.study_id and contrasts.system_id = systems.system_id

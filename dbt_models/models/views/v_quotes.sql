{% set answer = 'study_id, system_id, prompt_id, replicate' -%}
with

finding_prompts as (
    select * from {{ ref('finding_prompts') }}
),

pairs as (
    select * from finding_prompts where {{ is_pinned('finding_prompts') }}
),

findings as (
    select * from {{ ref('v_findings') }}
),

studies as (
    select study_id, config_json from {{ ref('studies') }}
),

prompts as (
    select study_id, prompt_id, prompt_text from {{ ref('prompts') }}
),

groups as (
    select study_id, slice_id, grouping_id, prompt_id, group_id from {{ ref('int_prompt_groups') }}
),

-- few of the responses: those are found before texts are read
asked as (
    select study_id, system_id, measure_id, prompt_id, replicate from pairs
    union distinct
    select study_id, system_id, measure_id, other_prompt_id as prompt_id, other_replicate as replicate from pairs
),

answers as (
    select {{ answer }}, measure_id, response_text, outcome, value, label
    from asked
    inner join {{ ref('responses') }} as responses using ({{ answer }})
    inner join {{ ref('measurements') }} as measurements using ({{ answer }}, measure_id)
)

select
    findings.study_id,
    findings.slice_id,
    findings.system_id,
    findings.measure_id,
    findings.grouping_id,
    pairs.group_id,
    pairs.category,
    pairs.reference,
    pairs.position,
    pairs.chosen_for,
    pairs.replicate,
    pairs.other_replicate,
    findings.title,
    findings.model,
    findings.system_prompt_name,
    findings.unit,
    findings.finding_rank,
    findings.verdict as hypothesis_verdict,
    {{ rounded('pairs.difference') }} as difference,
    groups.group_id as other_group_id,
    {{ shown_text('prompts.prompt_text', 'studies.config_json') }} as prompt_text,
    {{ shown_text('other_prompts.prompt_text', 'studies.config_json') }} as other_prompt_text,
    {{ shown_text('own.response_text', 'studies.config_json') }} as response_text,
    {{ shown_text('other.response_text', 'studies.config_json') }} as other_response_text,
    own.outcome,
    other.outcome as other_outcome,
    {{ rounded('own.value') }} as value,
    {{ rounded('other.value') }} as other_value,
    own.label,
    other.label as other_label
from pairs
inner join findings using (study_id, slice_id, system_id, measure_id, grouping_id)
inner join studies using (study_id)
inner join prompts on pairs.study_id = prompts.study_id and pairs.prompt_id = prompts.prompt_id
inner join prompts as other_prompts
    on pairs.study_id = other_prompts.study_id and pairs.other_prompt_id = other_prompts.prompt_id
left join groups
    on pairs.study_id = groups.study_id
    and pairs.slice_id = groups.slice_id
    and pairs.grouping_id = groups.grouping_id
    and pairs.other_prompt_id = groups.prompt_id
inner join answers as own
    on pairs.study_id = own.study_id
    and pairs.system_id = own.system_id
    and pairs.measure_id = own.measure_id
    and pairs.prompt_id = own.prompt_id
    and pairs.replicate = own.replicate
inner join answers as other
    on pairs.study_id = other.study_id
    and pairs.system_id = other.system_id
    and pairs.measure_id = other.measure_id
    and pairs.other_prompt_id = other.prompt_id
    and pairs.other_replicate = other.replicate

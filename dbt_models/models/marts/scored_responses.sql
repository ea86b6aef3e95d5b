{% set losses = ['scored', 'undecided', 'unscored', 'refused', 'empty', 'failed', 'other'] -%}
with

{{ declared_measures() }},

prompt_groups as (
    select asked_prompt_id as prompt_id, members.study_id, answers.system_id, grouping_id, group_id
    from {{ ref('int_group_members') }} as members
    inner join {{ ref('int_answers') }} as answers using (study_id, prompt_id)
    where members.slice_id = 'all' and not {{ is_of_controls() }}
    union all
    select prompt_id, study_id, '' as system_id, '' as grouping_id, '' as group_id
    from {{ source('raw', 'prompts') }}
)

select
    measured.study_id,
    measured.system_id,
    measured.measure_id,
    prompt_groups.grouping_id,
    prompt_groups.group_id,
    count(*) as n_responses,
    {%- for loss in losses %}
    count(case when measured.loss = '{{ loss }}' then 1 end) as n_{{ loss }},
    {%- endfor %}
    count(case when measured.loss = 'unscored' and measured.is_truncated then 1 end) as n_unscored_truncated
from measured
-- groups by factors of systems are of the responses of one of them
inner join prompt_groups
    on measured.study_id = prompt_groups.study_id
    and measured.prompt_id = prompt_groups.prompt_id
    and prompt_groups.system_id in ('', measured.system_id)
group by
    measured.study_id,
    measured.system_id,
    measured.measure_id,
    prompt_groups.grouping_id,
    prompt_groups.group_id

with

slice_ids as (
    select * from {{ source('raw', 'slice_ids') }}
),

conditions as (
    select * from {{ source('raw', 'slices') }}
),

prompts as (
    select
        study_id,
        prompt_id,
        root_prompt_id,
        system_id,
        negative_control,
        cast(row_number() over (order by study_id asc, prompt_id asc) - 1 as integer) as prompt_position
    from {{ ref('int_answers') }}
),

prompt_factors as (
    select * from {{ ref('int_answer_levels') }}
),

named as (
    select study_id, slice_id, count(distinct factor) as n_factors
    from conditions
    group by study_id, slice_id
),

met as (
    select study_id, slice_id, prompt_id, count(distinct factor) as n_met
    from conditions
    inner join prompt_factors using (study_id, factor, level)
    group by study_id, slice_id, prompt_id
),

of_slices as (
    select study_id, slice_id, prompt_id, prompt_position, root_prompt_id, system_id, negative_control
    from slice_ids
    inner join prompts using (study_id)
    left join named using (study_id, slice_id)
    left join met using (study_id, slice_id, prompt_id)
    where coalesce(named.n_factors, 0) = coalesce(met.n_met, 0)
),

controls as (
    select * from prompts where negative_control is not null
),

-- edits of one branch stand beside the groups of every slice that their root prompt has groups in
of_roots as (
    select of_slices.study_id, of_slices.slice_id, controls.prompt_id, controls.prompt_position, controls.negative_control
    from controls
    inner join of_slices using (study_id, root_prompt_id, system_id)
    where of_slices.negative_control is null
),

{% set columns = 'study_id, slice_id, prompt_id, prompt_position, negative_control' -%}
control_slices as (
    select {{ columns }} from of_slices where negative_control is not null
    union
    select {{ columns }} from of_roots
)

select {{ columns }} from of_slices where negative_control is null
union all
select {{ columns }} from control_slices

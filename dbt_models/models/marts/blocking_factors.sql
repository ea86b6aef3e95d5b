{% set layout = 'study_id, slice_id, grouping_id' -%}
with

{{ roles_of_model_factors() }},

of_prompts as (
    select * from {{ ref('int_blocking_factors') }}
),

held_settings as (
    select {{ layout }} from {{ ref('int_settings') }} where held_factors <> '' group by {{ layout }}
),

of_systems as (
    select
        {{ layout }},
        factor,
        is_crossed and held_settings.study_id is not null as is_stratum,
        case
            when not is_crossed then 'follows_from_others'
            when held_settings.study_id is null then 'no_setting_has_all'
        end as left_out_because
    from roles
    left join held_settings using ({{ layout }})
    where is_crossed or can_differ
)

select {{ layout }}, factor, is_stratum, left_out_because from of_prompts
union all
select {{ layout }}, factor, is_stratum, left_out_because from of_systems

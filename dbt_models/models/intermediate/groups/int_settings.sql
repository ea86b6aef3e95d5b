{% set layout = 'study_id, slice_id, grouping_id' -%}
with

{{ roles_of_model_factors() }},

settings as (
    select
        {{ layout }},
        system_id,
        model_group,
        coalesce({{ joined_text("case when is_crossed then factor || ' = ' || level end", ', ', 'factor') }}, '') as setting,
        coalesce({{ joined_text('case when is_crossed then factor end', ', ', 'factor') }}, '') as crossed_factors,
        coalesce(
            {{ joined_text('case when not is_crossed and can_differ then factor end', ', ', 'factor') }}, ''
        ) as other_factors
    from members
    left join others using ({{ layout }}, system_id, model_group)
    left join roles using ({{ layout }}, factor)
    group by {{ layout }}, system_id, model_group
),

shared as (
    select {{ layout }}, setting
    from settings
    inner join counts using ({{ layout }})
    group by {{ layout }}, setting, counts.n_groups
    having count(distinct model_group) = counts.n_groups
),

sharing as (
    select {{ layout }} from shared group by {{ layout }}
)

select
    {{ layout }},
    system_id,
    case when sharing.study_id is null then '' else crossed_factors end as held_factors,
    case
        when sharing.study_id is not null or crossed_factors = '' then other_factors
        when other_factors = '' then crossed_factors
        else crossed_factors || ', ' || other_factors
    end as left_out_factors
from settings
left join shared using ({{ layout }}, setting)
left join sharing using ({{ layout }})
where shared.setting is not null or sharing.study_id is null

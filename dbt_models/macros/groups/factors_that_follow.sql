{# CTEs of one round. Of CTE left_<round> (study_id, slice_id, grouping_id, factor, prompt_id, group_id, level):
   following, the factors with several levels whose level follows from the group and all other levels of a prompt;
   redundant, those of them that follow from the group, the others and the following ones before them by name;
   left_<round + 1>, the rows without these. Levels are read as texts, so that no row meets all others of its prompt. #}
{% macro factors_that_follow(round) -%}
{%- set layout = 'study_id, slice_id, grouping_id' -%}
{%- set named = "'[' || factor || ' = ' || level || ']'" -%}
profiles_{{ round }} as (
    select {{ layout }}, prompt_id, {{ joined_text(named, '', 'factor') }} as profile
    from left_{{ round }}
    group by {{ layout }}, prompt_id
),

following_{{ round }} as (
    select {{ layout }}, factor
    from (
        select {{ layout }}, factor, min(level) as first_level, max(level) as last_level
        from left_{{ round }}
        inner join profiles_{{ round }} using ({{ layout }}, prompt_id)
        group by {{ layout }}, factor, group_id, replace(profile, {{ named }}, '')
    ) as beside_others
    group by {{ layout }}, factor
    having min(first_level) < max(last_level) and max(case when first_level < last_level then 1 else 0 end) = 0
),

candidates_{{ round }} as (
    select * from left_{{ round }} inner join following_{{ round }} using ({{ layout }}, factor)
),

earlier_{{ round }} as (
    select
        {{ layout }},
        own.factor,
        prompt_id,
        {{ joined_text("'[' || other.factor || ' = ' || other.level || ']'", '', 'other.factor') }} as levels
    from candidates_{{ round }} as own
    inner join candidates_{{ round }} as other using ({{ layout }}, prompt_id)
    where other.factor < own.factor
    group by {{ layout }}, own.factor, prompt_id
),

kept_{{ round }} as (
    select {{ layout }}, prompt_id, {{ joined_text(named, '', 'factor') }} as levels
    from left_{{ round }}
    left join following_{{ round }} using ({{ layout }}, factor)
    where following_{{ round }}.factor is null
    group by {{ layout }}, prompt_id
),

redundant_{{ round }} as (
    select {{ layout }}, factor
    from (
        select {{ layout }}, factor, min(level) as first_level, max(level) as last_level
        from candidates_{{ round }}
        left join earlier_{{ round }} using ({{ layout }}, factor, prompt_id)
        left join kept_{{ round }} using ({{ layout }}, prompt_id)
        group by
            {{ layout }}, factor, group_id, coalesce(kept_{{ round }}.levels, ''), coalesce(earlier_{{ round }}.levels, '')
    ) as beside_kept
    group by {{ layout }}, factor
    having max(case when first_level < last_level then 1 else 0 end) = 0
),

left_{{ round + 1 }} as (
    select left_{{ round }}.*
    from left_{{ round }}
    left join redundant_{{ round }} using ({{ layout }}, factor)
    where redundant_{{ round }}.factor is null
),
{%- endmacro %}

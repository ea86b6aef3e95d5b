{# Of CTE levels (study_id, slice_id, grouping_id, factor, prompt_id, group_id, level), the factors with several levels
   whose level follows from the group and from the levels that the same prompt has of those others that `given` allows;
   it compares own.factor with other.factor. #}
{% macro factors_that_follow(levels, given) -%}
    {%- set layout = 'study_id, slice_id, grouping_id' -%}
    select {{ layout }}, factor
    from (
        select {{ layout }}, factor, count(distinct level) as n_levels, min(level) as first_level, max(level) as last_level
        from (
            select
                own.study_id,
                own.slice_id,
                own.grouping_id,
                own.factor,
                own.group_id,
                own.level,
                {{ joined_text("other.factor || ' = ' || other.level", ', ', 'other.factor') }} as other_levels
            from {{ levels }} as own
            left join {{ levels }} as other
                on
                    own.study_id = other.study_id
                    and own.slice_id = other.slice_id
                    and own.grouping_id = other.grouping_id
                    and own.prompt_id = other.prompt_id
                    and own.factor <> other.factor
                    and ({{ given }})
            group by own.study_id, own.slice_id, own.grouping_id, own.factor, own.prompt_id, own.group_id, own.level
        ) as beside_others
        group by {{ layout }}, factor, group_id, coalesce(other_levels, '')
    ) as combinations
    group by {{ layout }}, factor
    having max(n_levels) = 1 and min(first_level) < max(last_level)
{%- endmacro %}

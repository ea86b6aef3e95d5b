{# One row per (study_id, grouping_id, prompt_id): the group of every prompt that has a level of each factor of a set.
   sets: a raw table of study_id, grouping_id, factor and factor_position. levels: a CTE of study_id, prompt_id, factor,
   level and level_position. group_key orders groups factor by factor in
   declared order: positions, padded so that text order is their order. #}
{% macro grouped_prompts(sets, levels) -%}
    select study_id, grouping_id, prompt_id, group_id, group_key
    from (
        select
            study_id,
            grouping_id,
            prompt_id,
            {{ joined_text('level', ' x ', 'factor_position') }} as group_id,
            {{ joined_text("lpad(cast(level_position as string), 9, '0')", '.', 'factor_position') }} as group_key,
            count(*) as n_factors
        from {{ source('raw', sets) }}
        inner join {{ levels }} using (study_id, factor)
        group by study_id, grouping_id, prompt_id
    ) as with_any_level
    inner join (
        select study_id, grouping_id, count(*) as n_factors
        from {{ source('raw', sets) }}
        group by study_id, grouping_id
    ) as sizes using (study_id, grouping_id, n_factors)
{%- endmacro %}

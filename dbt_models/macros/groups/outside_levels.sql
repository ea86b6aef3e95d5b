{# One row per (study_id, grouping_id, prompt_id, factor): the levels of a prompt by the blocking factors that a grouping
   does not name. #}
{% macro outside_levels() -%}
    select study_id, grouping_id, prompt_id, factor, level
    from (select distinct study_id, grouping_id from {{ source('raw', 'groupings') }}) as grouping_ids
    inner join {{ source('raw', 'factors') }} using (study_id)
    inner join {{ source('raw', 'prompt_factors') }} using (study_id, factor)
    left join {{ source('raw', 'groupings') }} as named using (study_id, grouping_id, factor)
    where is_blocking and named.factor_position is null
{%- endmacro %}

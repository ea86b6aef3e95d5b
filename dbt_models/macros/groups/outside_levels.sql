{# One row per (study_id, grouping_id, prompt_id, factor): the levels of a prompt by the blocking factors that a grouping
   does not name. Groupings of factors of generations alone have none: their blocks are whole root prompts
   (inference.md 7). #}
{% macro outside_levels() -%}
    select study_id, grouping_id, prompt_id, factor, level
    from (
        select distinct study_id, grouping_id
        from {{ source('raw', 'groupings') }}
        left join {{ ref('int_model_factors') }} as model_factors using (study_id, factor)
        where model_factors.study_id is null
    ) as grouping_ids
    inner join {{ source('raw', 'factors') }} using (study_id)
    inner join {{ ref('int_answer_levels') }} using (study_id, factor)
    left join {{ source('raw', 'groupings') }} as named using (study_id, grouping_id, factor)
    where is_blocking and named.factor_position is null
{%- endmacro %}

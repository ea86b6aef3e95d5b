{# The rows of a table by question that red flags are about: what one generation said, raw, in the sets that the study
   declares. #}
{% macro is_flag_hypothesis(table) -%}
    {{ is_pinned(table) }}
    and not {{ table }}.is_baseline
    and {{ table }}.system_id <> 'all'
    and {{ table }}.family_id not in ('secondary', 'undecided', 'baseline', 'negative_control')
{%- endmacro %}

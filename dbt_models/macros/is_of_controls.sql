{# Whether a row is of negative controls and not of groups: their levels are edits that cannot matter. #}
{% macro is_of_controls(grouping='grouping_id') -%}
    {{ grouping }} = 'negative_control'
{%- endmacro %}

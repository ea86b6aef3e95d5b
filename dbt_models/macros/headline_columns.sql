{# What names a row of a hypothesis and what it says: of the one that heads it, and of its largest. #}
{% macro headline_columns(kinds=['headline', 'largest']) -%}
    {%- set columns = [] -%}
    {%- for kind in kinds -%}
        {%- for name in ['metric', 'group_id', 'category', 'reference', 'value', 'ci_low', 'ci_high', 'margin', 'margin_origin'] -%}
            {%- do columns.append(kind ~ '_' ~ name) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(columns) }}
{%- endmacro %}

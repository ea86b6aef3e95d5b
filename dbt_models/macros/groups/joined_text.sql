{# The texts of a group of rows as one text, in a stated order. The two engines spell it differently. #}
{% macro joined_text(text, separator, order_by) -%}
    {%- if target.type == 'duckdb' -%}
    string_agg({{ text }}, '{{ separator }}' order by {{ order_by }})
    {%- else -%}
    listagg({{ text }}, '{{ separator }}') within group (order by {{ order_by }})
    {%- endif -%}
{%- endmacro %}

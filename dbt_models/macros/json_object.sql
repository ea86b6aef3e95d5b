{# A JSON object of columns, under their own names, as text. The two engines spell it differently. #}
{% macro json_object(columns) -%}
    {%- set pairs -%}
        {%- for column in columns %}'{{ column }}', {{ column }}{{ ', ' if not loop.last }}{% endfor -%}
    {%- endset -%}
    {%- if target.type == 'duckdb' -%}
    cast(json_object({{ pairs }}) as string)
    {%- else -%}
    to_json(named_struct({{ pairs }}), map('ignoreNullFields', 'false'))
    {%- endif -%}
{%- endmacro %}

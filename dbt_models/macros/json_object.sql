{# A JSON object of columns, under their own names, as text. #}
{% macro json_object(columns) -%}
    {%- set pairs -%}
        {%- for column in columns %}'{{ column }}', {{ column }}{{ ', ' if not loop.last }}{% endfor -%}
    {%- endset -%}
    cast(json_object({{ pairs }}) as string)
{%- endmacro %}

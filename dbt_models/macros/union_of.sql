{# The rows of several models with the same columns. #}
{% macro union_of(models) -%}
    {% for model in models %}
    select * from {{ ref(model) }}
    {{ 'union all' if not loop.last }}
    {% endfor %}
{%- endmacro %}

{# The rows of every metric of a mart, contrasts or disparities, one .sql each in models/metrics. #}
{% macro union_of_metrics(mart) -%}
{% for metric in metric_models(mart) %}
    select * from {{ ref(metric) }}
    {{ 'union all' if not loop.last }}
{% endfor %}
{%- endmacro %}

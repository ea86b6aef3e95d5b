{# The rows of every metric of a mart, contrasts or disparities, one .sql each in models/metrics. They are found in the
   graph of the project, so that a new one is listed nowhere but in seeds/metrics.csv. There is no graph yet when dbt
   looks for dependencies: the model that calls this names what metrics read, as depends_on. #}
{% macro union_of_metrics(mart) -%}
{%- if execute -%}
{%- for metric in metric_models(mart) %}
(
{{ render(metric.raw_code) }}
)
{{ 'union all' if not loop.last }}
{%- endfor -%}
{%- endif -%}
{%- endmacro %}

{% macro metric_models(mart) -%}
{%- set found = [] -%}
{%- for node in graph.nodes.values() | sort(attribute='name') -%}
{%- if node.resource_type == 'model' and node.fqn[1] == 'metrics'
    and node.name.startswith('disparity_') == (mart == 'disparities') -%}
{%- do found.append(node) -%}
{%- endif -%}
{%- endfor -%}
{{ return(found) }}
{%- endmacro %}

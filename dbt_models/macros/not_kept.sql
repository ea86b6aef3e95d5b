{# Put before the brackets of a CTE that is used several times, each time for a few of its rows: DuckDB would keep all of
   them. Spark never does. #}
{% macro not_kept() -%}
    {{ 'not materialized' if target.type == 'duckdb' else '' }}
{%- endmacro %}

{# The aggregates over value that the studies name as disparities of their own: metric and expression. #}
{% macro asked_disparities() -%}
{%- set disparities = source('raw', 'custom_disparities') -%}
{%- if not execute -%}
{{ return([]) }}
{%- endif -%}
{%- set found = run_query('select distinct metric, expression from ' ~ disparities ~ ' order by metric') -%}
{{ return(rows_of(found)) }}
{%- endmacro %}

{# The rows of a query as dictionaries; an empty text is read as none where all of its column are. #}
{% macro rows_of(found) -%}
{%- set rows = [] -%}
{%- for row in found.rows -%}
{%- do rows.append(dict(row.dict(), parameters=row['parameters'] or '', normalise=row['normalise'] or '')
    if 'parameters' in found.column_names else row.dict()) -%}
{%- endfor -%}
{{ return(rows) }}
{%- endmacro %}

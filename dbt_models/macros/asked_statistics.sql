{# The statistics that the studies of the build file ask for, each with its options, read when the SQL is written:
   quantiles and custom expressions are part of it. with_contrast: only those whose difference is asked for. Empty while
   dbt only parses. #}
{% macro asked_statistics(with_contrast=false) -%}
{%- set statistics = source('raw', 'statistics') -%}
{%- set contrasts = source('raw', 'contrasts') if with_contrast -%}
{%- set columns = [
    'statistic', 'parameters', 'normalise', 'normalise_over', 'is_paired', 'method', 'level_low', 'level_high',
    'bin_width', 'n_bins', 'smoothing', 'expression',
] -%}
{%- if not execute -%}
{{ return([]) }}
{%- endif -%}
{%- set found = run_query(
    'select distinct ' ~ columns | join(', ') ~ ' from ' ~ statistics
    ~ " where statistic not in ('selection_rate', 'precision')"
    ~ (
        " and statistic <> 'mean' and normalise = '' and statistic || '_difference' in (select contrast from "
        ~ contrasts ~ ')' if with_contrast else ''
    )
    ~ ' order by statistic, parameters'
) -%}
{{ return(rows_of(found)) }}
{%- endmacro %}

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

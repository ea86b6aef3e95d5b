{# A statistic of one scan as an aggregate over x and baseline, none for one that needs more (statistics_of). To add one:
   a line here, and in `expected` of tests/dbt_models/test_traps.py. asked: a row of asked_statistics. #}
{% macro group_statistic(asked) -%}
{%- set aggregates = {
    'mean': 'avg(x)',
    'median': quantile_of_x(0.5),
    'variance': 'var_samp(x)',
    'standard_deviation': 'stddev_samp(x)',
    'range': 'max(x) - min(x)',
    'quantile': quantile_of_x(asked.level_low),
    'percentile': quantile_of_x(asked.level_low),
    'quantile_range': quantile_of_x(asked.level_high) ~ ' - ' ~ quantile_of_x(asked.level_low),
    'percentile_range': quantile_of_x(asked.level_high) ~ ' - ' ~ quantile_of_x(asked.level_low),
} -%}
{%- if asked.expression -%}
{{ return('cast(' ~ asked.expression ~ ' as double)') }}
{%- elif asked.statistic == 'correlation' -%}
{{ return(paired_correlation() if asked.method == 'pearson' else none) }}
{%- endif -%}
{{ return(aggregates.get(asked.statistic)) }}
{%- endmacro %}

{% macro quantile_of_x(level) -%}
    percentile_cont({{ level }}) within group (order by x)
{%- endmacro %}

{# Every statistic of one group: name -> aggregate over x, in the unit of x.
   To add one: a line here, and the same name to REFERENCE in tests/dbt_models/test_statistics.py. #}
{% macro group_statistics() %}
{{ return({
    'mean': 'avg(x)',
    'median': 'percentile_cont(0.5) within group (order by x)',
    'variance': 'var_samp(x)',
    'standard_deviation': 'stddev_samp(x)',
}) }}
{% endmacro %}

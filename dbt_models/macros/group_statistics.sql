{# Every statistic of one group: name -> aggregate over x and baseline, in the unit of x. Those that need more than one
   scan: skewness and kurtosis (int_group_shapes), kl_divergence (int_group_divergences), selection_rate and precision
   (int_cell_sums). To add one: a line here, and the same name to REFERENCE in tests/dbt_models/test_statistics.py. #}
{% macro group_statistics() %}
{{ return({
    'mean': 'avg(x)',
    'median': 'percentile_cont(0.5) within group (order by x)',
    'variance': 'var_samp(x)',
    'standard_deviation': 'stddev_samp(x)',
    'correlation': paired_correlation(),
}) }}
{% endmacro %}

{# Every statistic in a column of int_group_statistics. #}
{% macro column_statistics() %}
{{ return(group_statistics().keys() | list + ['skewness', 'kurtosis', 'kl_divergence']) }}
{% endmacro %}

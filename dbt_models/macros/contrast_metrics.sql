{# Every contrast in SQL, one file each in models/metrics. #}
{% macro contrast_metrics() %}
{{ return([
    'mean_difference',
    'risk_difference',
    'log_disparity',
    'log_disparity_haldane',
    'fdi_group',
    'dbi',
    'selection_rate_difference',
    'precision_difference',
    'median_difference',
    'variance_difference',
    'standard_deviation_difference',
    'skewness_difference',
    'kurtosis_difference',
    'correlation_difference',
    'kl_divergence_difference',
]) }}
{% endmacro %}

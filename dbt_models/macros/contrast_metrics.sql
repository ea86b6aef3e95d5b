{# Every contrast in SQL, one file each in models/metrics; statistic_difference has those of all statistics that are no
   means. #}
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
    'statistic_difference',
]) }}
{% endmacro %}

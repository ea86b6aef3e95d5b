{# Every contrast in SQL, one file each in models/metrics. #}
{% macro contrast_metrics() %}
{{ return(['mean_difference', 'risk_difference', 'log_disparity', 'log_disparity_haldane']) }}
{% endmacro %}

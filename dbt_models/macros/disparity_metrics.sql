{# Every disparity in SQL, one file each in models/metrics. #}
{% macro disparity_metrics() %}
{{ return([
    'disparity_max',
    'disparity_min',
    'disparity_mean',
    'disparity_min_max_ratio',
    'disparity_range',
    'disparity_standard_deviation',
    'disparity_max_z',
    'disparity_max_abs_z',
    'disparity_impact_ratio',
    'disparity_four_fifths',
    'disparity_impact_ratio_below_four_fifths',
    'disparity_dixon_low',
    'disparity_dixon_high',
    'disparity_dixon_excess_low',
    'disparity_dixon_excess_high',
    'disparity_custom',
    'disparity_fdi',
    'disparity_fdi_max',
    'disparity_idi',
    'disparity_cramers_v',
    'disparity_cramers_v_bergsma',
    'disparity_jsd',
]) }}
{% endmacro %}

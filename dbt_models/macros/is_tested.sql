{# Which rows of a mart have a test or an interval prescribed (inference.md 1); the others are descriptive: among them the
   study's own statistics and disparities, and statistics that are normalised afterwards. #}
{% macro is_tested(mart, rows) -%}
    {%- if mart == 'contrasts' -%}
    {{ rows }}.contrast in ('{{ tested_contrasts() | join("', '") }}')
    {%- else -%}
    {{ rows }}.parameters not like 'sql=%' and {{ rows }}.parameters not like '%normalise=after%'
    {%- if mart == 'disparities' %}
    and {{ rows }}.metric in ('{{ tested_metrics() | join("', '") }}')
    {%- endif -%}
    {%- endif -%}
{%- endmacro %}

{% macro tested_contrasts() %}
{{ return([
    'mean_difference', 'risk_difference', 'log_disparity', 'fdi_group', 'dbi', 'selection_rate_difference',
    'precision_difference', 'median_difference', 'mode_difference', 'variance_difference',
    'standard_deviation_difference', 'skewness_difference', 'kurtosis_difference', 'range_difference',
    'quantile_difference', 'percentile_difference', 'quantile_range_difference', 'percentile_range_difference',
    'correlation_difference', 'kl_divergence_difference',
]) }}
{% endmacro %}

{% macro tested_metrics() %}
{{ return([
    'range', 'standard_deviation', 'max_z', 'max_abs_z', 'min_max_ratio', 'impact_ratio', 'dixon_low', 'dixon_high',
    'fdi', 'fdi_max', 'idi', 'cramers_v', 'jsd',
]) }}
{% endmacro %}

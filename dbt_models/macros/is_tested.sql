{# Which rows of a mart have a test or an interval prescribed (inference.md 1); the others are
   descriptive. #}
{% macro is_tested(mart, rows) -%}
    {%- if mart == 'contrasts' -%}
    {{ rows }}.contrast in ('mean_difference', 'risk_difference', 'log_disparity')
    {%- elif mart == 'disparities' -%}
    {{ rows }}.statistic in ('mean', 'selection_rate') and {{ rows }}.metric not in ('max', 'min', 'mean')
    {%- elif mart == 'summary_statistics' -%}
    {{ rows }}.statistic in ('mean', 'selection_rate')
    {%- endif -%}
{%- endmacro %}

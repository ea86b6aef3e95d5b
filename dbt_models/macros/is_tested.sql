{# Which rows of a mart have a test or an interval prescribed (inference.md 1); the others are
   descriptive. #}
{% macro is_tested(mart, rows) -%}
    {%- if mart == 'contrasts' -%}
    {{ rows }}.contrast <> 'log_disparity_haldane'
    {%- elif mart == 'disparities' -%}
    {{ rows }}.metric not in ('max', 'min', 'mean', 'cramers_v_bergsma')
    {%- elif mart == 'summary_statistics' -%}
    true
    {%- endif -%}
{%- endmacro %}

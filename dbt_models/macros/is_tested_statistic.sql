{# Which statistics have a test or an interval prescribed (inference.md 1): none that the study wrote itself in SQL, and none that
   is normalised afterwards. Which contrasts and metrics have one stands in seeds/metrics.csv. #}
{% macro is_tested_statistic(parameters) -%}
    ({{ parameters }} not like 'sql=%' and {{ parameters }} not like '%normalise=after%')
{%- endmacro %}

{# Whether n values, or pairs, are fewer than a statistic is defined for. #}
{% macro has_too_few_values(statistic, n) -%}
    {{ n }} < case {{ statistic }} when 'kurtosis' then 4 when 'skewness' then 3 else 2 end
{%- endmacro %}

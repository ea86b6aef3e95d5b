{# Whether all groups have the same statistic, but for the last bits: their z-scores would be noise. #}
{% macro has_one_value() -%}
    value_max - value_min <= 1e-12 * greatest(abs(value_max), abs(value_min))
{%- endmacro %}

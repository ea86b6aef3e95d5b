{# What names a question (inference.md 6.1): do the groups differ here? #}
{% macro hypothesis_keys() -%}
    {{ return([
        'study_id', 'slice_id', 'system_id', 'grouping_id', 'measure_id', 'calibration', 'statistic', 'parameters'
    ]) }}
{%- endmacro %}

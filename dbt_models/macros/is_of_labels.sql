{# Whether people's labels make the values of a calibration: those corrected by them, and what the instrument gets wrong. #}
{% macro is_of_labels(calibration) -%}
    {{ calibration }} in ('corrected', 'missed', 'false_alarm', 'label_error')
{%- endmacro %}

{# How a measure is called that reads a response with the words that name its group; Python's AS_WRITTEN_READING. #}
{% macro as_written(measure_id) -%}
    {{ measure_id }} || '_as_written'
{%- endmacro %}

{# A number as text with three significant digits. The two engines spell it differently. #}
{% macro three_digits(number) -%}
    {{ 'printf' if target.type == 'duckdb' else 'format_string' }}('%.3g', {{ number }})
{%- endmacro %}

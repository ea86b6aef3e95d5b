{# A number as text with three significant digits, for sentences: the two engines spell it differently, and may differ in
   the last digit. Keys have digits_in_key. #}
{% macro three_digits(number) -%}
    {{ 'printf' if target.type == 'duckdb' else 'format_string' }}('%.3g', {{ number }})
{%- endmacro %}

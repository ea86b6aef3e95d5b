{# A number as views show it: six significant digits, and of a large one every digit before the point. q of 3 in 10,000 is
   0.0003, not 0.00030000000000000003. It keeps the order of numbers, so that what is at most alpha stays so. #}
{% macro rounded(number) -%}
    round({{ number }}, cast(greatest(0, 5 - floor(log10(nullif(abs({{ number }}), 0)))) as integer))
{%- endmacro %}

{# The product of whole numbers over a window: no engine but DuckDB multiplies rows. Exact up to 1e14. #}
{% macro product_of(number, window) -%}
    cast(round(exp(sum(ln({{ number }})) over ({{ window }}))) as bigint)
{%- endmacro %}

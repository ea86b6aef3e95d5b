{# Adjusted skewness G1 and excess kurtosis G2 of n values, from the sums of the second to fourth powers of their
   distances from their mean. The caller excludes fewer than 3 or 4 values, and values that are all equal.
   Source: SAGED 4.1; metrics.md 2. #}
{% macro skewness(n, squares, cubes) -%}
    {{ n }} / (({{ n }} - 1.0e0) * ({{ n }} - 2.0e0)) * {{ cubes }} / power({{ squares }} / ({{ n }} - 1.0e0), 1.5e0)
{%- endmacro %}

{% macro kurtosis(n, squares, fourths) -%}
    {{ n }} * ({{ n }} + 1.0e0) / (({{ n }} - 1.0e0) * ({{ n }} - 2.0e0) * ({{ n }} - 3.0e0))
    * {{ fourths }} / power({{ squares }} / ({{ n }} - 1.0e0), 2)
    - 3.0e0 * power({{ n }} - 1.0e0, 2) / (({{ n }} - 2.0e0) * ({{ n }} - 3.0e0))
{%- endmacro %}

{# The bin of x among bins of a width that are anchored at 0. A value in the last bits below an edge is on it: 0.3 / 0.1 is
   less than 3. #}
{% macro mode_bin(x, width) -%}
    floor({{ x }} / {{ width }} + 1e-9)
{%- endmacro %}

{# Where a bin begins. #}
{% macro mode_edge(bin, width) -%}
    ({{ bin }} - 1e-9) * {{ width }}
{%- endmacro %}

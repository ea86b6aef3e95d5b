{# Whether a size, 0 or more, is above a limit by more than the rounding of either. #}
{% macro is_past(size, limit) -%}
    {{ size }} > {{ limit }} * (1 + 1e-9)
{%- endmacro %}

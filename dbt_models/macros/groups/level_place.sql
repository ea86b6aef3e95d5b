{# The place of a factor's level in a combination, by the number of the combination: a digit of it. #}
{% macro level_place() -%}
    cast(floor(cell_position / cast(stride as double)) as bigint) % n_levels
{%- endmacro %}

{# One limit of the Wilson interval of a share of n, side -1 or 1; n > 0. Clipped, because rounding may leave 0 to 1.
   Source: Wilson 1927. #}
{% macro wilson_limit(share, n, z, side) -%}
    least(1.0, greatest(0.0,
        ({{ share }} + {{ z }} * {{ z }} / (2 * {{ n }})
            + {{ side }} * {{ z }} * sqrt({{ share }} * (1 - {{ share }}) / {{ n }}
                + {{ z }} * {{ z }} / (4 * {{ n }} * {{ n }})))
        / (1 + {{ z }} * {{ z }} / {{ n }})
    ))
{%- endmacro %}

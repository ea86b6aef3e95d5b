{# A value on the scale of 0 to 1 with a mean of 0.5 and a standard deviation of 0.25, but for what is clipped.
   Source: SAGED C.5. #}
{% macro normalised(value, centre, spread) -%}
    case
        -- least and greatest pass over NULL
        when {{ value }} is not null and {{ spread }} is not null
        then least(greatest(0.5e0 + 0.25e0 * ({{ value }} - {{ centre }}) / {{ spread }}, 0), 1)
    end
{%- endmacro %}

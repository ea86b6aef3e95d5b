{# The bin of x among n_bins equal ones between value_low and value_high, as a code from 0; the largest value belongs to
   the last bin. Source: metrics.md 2. #}
{% macro bin_of(x, n_bins) -%}
    case
        when value_low = value_high then 0
        else
            cast(
                least(floor(({{ x }} - value_low) / (value_high - value_low) * {{ n_bins }}), {{ n_bins - 1 }}) as integer
            )
    end
{%- endmacro %}

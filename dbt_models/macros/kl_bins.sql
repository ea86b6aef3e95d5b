{# The bins of kl_divergence: equal ones between value_low and value_high; smoothing is added to each count.
   Source: metrics.md 2. #}
{% macro kl_bins() %}
{{ return({'n': 10, 'smoothing': 0.5}) }}
{% endmacro %}

{# The bin of x as a code from 0; the largest value belongs to the last bin. #}
{% macro bin_of(x) -%}
    case
        when value_low = value_high then 0
        else
            cast(
                least(
                    floor(({{ x }} - value_low) / (value_high - value_low) * {{ kl_bins().n }}), {{ kl_bins().n - 1 }}
                ) as integer
            )
    end
{%- endmacro %}

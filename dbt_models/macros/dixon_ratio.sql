{# Dixon's ratio of the lowest group (side low) or the highest (high), by the variant for so many groups: the distance of
   its neighbour, or the next, over the spread of what is left. Source: SAGED C.5; metrics.md 2. #}
{% macro dixon_ratio(side) -%}
    case dixon_variant
        {% for variant, (near, far) in dixon_places().items() %}
        when '{{ variant }}'
        then abs({{ dixon_value(side, near) }} - {{ dixon_value(side, 1) }}) / {{ dixon_spread(side, far) }}
        {% endfor %}
    end
{%- endmacro %}

{# Variant -> place of the near value, and of the one at the far end that the spread goes to. #}
{% macro dixon_places() %}
{{ return({'r10': (2, 1), 'r11': (2, 2), 'r21': (3, 2), 'r22': (3, 3)}) }}
{% endmacro %}

{% macro dixon_value(side, place) -%}
    {{ ('value_min' if side == 'low' else 'value_max') if place == 1 else 'value_' ~ side ~ '_' ~ place }}
{%- endmacro %}

{% macro dixon_spread(side, far) -%}
    abs({{ dixon_value('high' if side == 'low' else 'low', far) }} - {{ dixon_value(side, 1) }})
{%- endmacro %}

{# Condition -> reason of a ratio that is undefined. #}
{% macro dixon_reasons(side) %}
{%- set reasons = {'n_groups < 3': 'too_few_groups', 'dixon_variant is null': 'too_many_groups'} -%}
{%- for variant, (near, far) in dixon_places().items() -%}
{%- set condition = "dixon_variant = '" ~ variant ~ "' and " ~ dixon_spread(side, far)
    ~ ' <= 1e-12 * greatest(abs(value_max), abs(value_min))' -%}
{%- do reasons.update({condition: 'constant_values'}) -%}
{%- endfor -%}
{{ return(reasons) }}
{% endmacro %}

{# The variant and its critical value as text for parameters. #}
{% macro dixon_parameters() -%}
    coalesce(
        'variant=' || dixon_variant || ';critical=' || {{ digits_in_key('dixon_critical_value') }}, 'variant=none'
    )
{%- endmacro %}

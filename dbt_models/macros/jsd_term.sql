{# What one outcome adds to the Jensen-Shannon divergence of two distributions, nats: half its part of the KL divergence of
   each from their mid-point; 0 ln 0 is 0. Source: Lin 1991; metrics.md 4. #}
{% macro jsd_term(p, q) -%}
    (
        case when {{ p }} > 0 then {{ p }} * ln(2 * {{ p }} / ({{ p }} + {{ q }})) else 0 end
        + case when {{ q }} > 0 then {{ q }} * ln(2 * {{ q }} / ({{ p }} + {{ q }})) else 0 end
    ) / 2
{%- endmacro %}

{# Whether all values between two are the same, but for the last bits: what is standardised by their spread would be
   noise. #}
{% macro has_one_value(high='value_max', low='value_min') -%}
    {{ high }} - {{ low }} <= 1e-12 * greatest(abs({{ high }}), abs({{ low }}))
{%- endmacro %}

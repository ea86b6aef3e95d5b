{# Whether one of two rates is 0 or 1, but for the last bits; NULL where one of them is NULL. #}
{% macro has_no_odds(rate, other_rate) -%}
    least({{ rate }} * (1 - {{ rate }}), {{ other_rate }} * (1 - {{ other_rate }})) < 1e-12
{%- endmacro %}

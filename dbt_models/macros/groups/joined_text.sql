{# The texts of a group of rows as one text, in a stated order. #}
{% macro joined_text(text, separator, order_by) -%}
    string_agg({{ text }}, '{{ separator }}' order by {{ order_by }})
{%- endmacro %}

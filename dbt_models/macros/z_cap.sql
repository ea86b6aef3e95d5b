{# The algebraic limit of a z-score among n_groups groups, as text for parameters. #}
{% macro z_cap() -%}
    'cap=' || {{ digits_in_key('((greatest(n_groups, 1) - 1) / sqrt(greatest(n_groups, 1)))') }}
{%- endmacro %}

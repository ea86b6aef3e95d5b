{# Whether a verdict says that something differs. #}
{% macro is_shown(verdict='verdict') -%}
    {{ verdict }} in ('beyond_margin', 'different')
{%- endmacro %}

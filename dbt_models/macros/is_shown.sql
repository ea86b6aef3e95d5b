{# Whether a verdict says that something differs. #}
{% macro is_shown(verdict='verdict') -%}
    {{ verdict }} in ('bias_shown', 'difference_shown')
{%- endmacro %}

{# The rows of a table by question that the views are about: raw values, and of them means, rates and the shares of labels.
   What is left of a question's keys is slice, generation, grouping and measure. #}
{% macro is_pinned(table) -%}
    {{ table }}.calibration = 'raw'
    and {{ table }}.statistic in ('mean', 'share')
    and {{ table }}.parameters = ''
{%- endmacro %}

{# What a row is about, with the words of its groups where each group has one wording: no test tells the group from the
   word then, and negative controls say only how far other words move a score. #}
{% macro scope_with_wording(table) -%}
    {{ table }}.scope || case when {{ table }}.wording in ('one_wording', 'negative_controls') then ', these words' else '' end
{%- endmacro %}

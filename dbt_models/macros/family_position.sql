{# Where the questions of a set stand among findings: the ones that the study is about first. #}
{% macro family_position() -%}
    case family_id
        when 'primary' then 1 when 'secondary' then 3 when 'undecided' then 4 when 'pooled' then 5
        when 'baseline' then 6 when 'negative_control' then 7
        else 2
    end
{%- endmacro %}

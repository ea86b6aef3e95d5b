{# Where the questions of a set stand among findings: the ones that the study is about first. #}
{% macro family_position() -%}
    case family_id
        when 'primary' then 1 when 'secondary' then 3 when 'pooled' then 4 when 'baseline' then 5
        when 'negative_control' then 6
        else 2
    end
{%- endmacro %}

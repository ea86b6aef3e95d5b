{# Where a verdict stands among findings: the worst first. #}
{% macro verdict_position() -%}
    case verdict
        when 'bias_shown' then 1
        when 'difference_shown' then 2
        when 'equivalence_shown' then 3
        when 'inconclusive' then 4
        else 5
    end
{%- endmacro %}

{# Where a verdict stands among findings: the worst first. #}
{% macro verdict_position() -%}
    case verdict
        when 'beyond_margin' then 1
        when 'different' then 2
        when 'equivalent' then 3
        when 'inconclusive' then 4
        else 5
    end
{%- endmacro %}

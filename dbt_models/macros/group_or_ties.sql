{# The group at one end of a disparity, low or high, by name; where several share the end, how many. #}
{% macro group_or_ties(end) -%}
    case
        when disparities.n_{{ end }} > 1 then cast(disparities.n_{{ end }} as string) || ' groups'
        else disparities.group_{{ end }}
    end
{%- endmacro %}

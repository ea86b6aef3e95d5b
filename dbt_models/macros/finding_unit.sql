{# What the numbers of a finding count. #}
{% macro finding_unit() -%}
    case when method like '%units nested in groups%' then 'unit' else 'root prompt' end
{%- endmacro %}

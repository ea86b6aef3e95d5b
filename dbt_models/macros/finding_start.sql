{# Whose finding it is: a generation, or the measuring tool where the baseline itself differs. #}
{% macro finding_start() -%}
    case
        when is_baseline then 'Tool bias: '
        when is_tool_bias then 'Tool bias in ' || generation_id || ': '
        else generation_id || ': '
    end
{%- endmacro %}

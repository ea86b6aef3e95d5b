{# That a difference is the measuring tool's, in words. #}
{% macro finding_of_tool() -%}
    '; raw ' || case when calibration = 'raw' then 'means' else 'values' end
    || ' show no difference, the baseline texts alone do'
{%- endmacro %}

{# The verdict of a row: that of inference; without a row there, not_tested where a test is prescribed but there is
   no value, and NULL where none is prescribed. #}
{% macro verdict(value, is_tested) -%}
    case
        when inference.study_id is not null then inference.verdict
        when {{ value }} is null and {{ is_tested }} then 'not_tested'
    end
{%- endmacro %}

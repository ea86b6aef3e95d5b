{# Why a row has no p, interval or q: what inference says; without a row there, why it has no value, or that no test is
   prescribed for it. #}
{% macro inference_reason(reason, is_tested) -%}
    case
        when inference.study_id is not null then inference.inference_reason
        when {{ is_tested }} then {{ reason }}
        else 'descriptive'
    end
{%- endmacro %}

{# Pearson's correlation of x with its baseline over rows that have both, NULL under 2 of them, or where a side has one
   value only. #}
{% macro paired_correlation() -%}
    case
        when count(*) < 2 then null
        when {{ has_one_value('max(baseline)', 'min(baseline)') }} then null
        when {{ has_one_value('max(x)', 'min(x)') }} then null
        else corr(x, baseline)
    end
{%- endmacro %}

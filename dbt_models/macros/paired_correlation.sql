{# Pearson's correlation of x with its baseline over pairs, NULL under 2 pairs, or where a side has one value only. #}
{% macro paired_correlation() -%}
    {%- set paired = 'case when baseline is not null then x end' -%}
    case
        when count(baseline) < 2 then null
        when {{ has_one_value('max(baseline)', 'min(baseline)') }} then null
        when {{ has_one_value('max(' ~ paired ~ ')', 'min(' ~ paired ~ ')') }} then null
        else corr(x, baseline)
    end
{%- endmacro %}

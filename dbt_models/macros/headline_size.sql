{# What tells how large the answer to a question is: V of labels, the impact ratio of rates, of two groups their
   difference, else the range. #}
{% macro headline_size() -%}
    case
        when questions.statistic = 'share' then 'cramers_v'
        when questions.statistic = 'selection_rate' then 'impact_ratio'
        when questions.statistic = 'mean' and questions.parameters = '' and counts.kind = 'binary' then 'impact_ratio'
        when questions.n_groups = 2 then 'difference'
        else 'range'
    end
{%- endmacro %}

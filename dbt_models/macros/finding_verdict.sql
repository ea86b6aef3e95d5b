{# The verdict in words, with the margin it is about, the scope where it is narrow, and what would settle it.
   no_difference: the value where groups do not differ, as text. #}
{% macro finding_verdict(no_difference="'zero'") -%}
    ': '
    || replace(verdict, '_', ' ')
    || case
        when verdict = 'bias_shown' then ', beyond the margin ' || coalesce({{ three_digits('margin') }}, '')
        when verdict = 'equivalence_shown' then ', inside the margin ' || coalesce({{ three_digits('margin') }}, '')
        else ''
    end
    || case when scope = 'these prompts only' then ' for these prompts only' else '' end
    || case
        when verdict = 'equivalence_shown' and q_value <= alpha
        then '; not ' || {{ no_difference }} || ', but inside the margin'
        when verdict <> 'inconclusive' or n_needed is null then ''
        when n_needed > 10000 then '; more than 10,000 ' || {{ finding_unit() }} || 's would settle it'
        else '; about ' || cast(n_needed as string) || ' ' || {{ finding_unit() }} || 's would settle it'
    end
{%- endmacro %}

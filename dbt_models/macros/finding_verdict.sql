{# The verdict in words, with the margin it is about, the scope where it is narrow, and what would settle it. #}
{% macro finding_verdict() -%}
    ': '
    || replace(verdict, '_', ' ')
    || case
        when verdict = 'bias_shown' then ', beyond the margin ' || coalesce({{ three_digits('margin') }}, '')
        when verdict = 'equivalence_shown' then ', inside the margin ' || coalesce({{ three_digits('margin') }}, '')
        else ''
    end
    || case when scope = 'these prompts only' then ' for these prompts only' else '' end
    || case
        when verdict <> 'inconclusive' or n_needed is null then ''
        when n_needed > 10000 then '; more than 10,000 root prompts would settle it'
        else '; about ' || cast(n_needed as string) || ' root prompts would settle it'
    end
{%- endmacro %}

{# In brackets: interval, q and what they rest on, as far as they are there; else why they are not. #}
{% macro finding_uncertainty() -%}
    ' ('
    || case
        when ci_low is null and ci_high is null then ''
        else {{ three_digits('100 * (1 - alpha)') }} || ' % interval '
            || coalesce({{ three_digits('ci_low') }}, 'unbounded') || ' to '
            || coalesce({{ three_digits('ci_high') }}, 'unbounded') || ', '
    end
    || case when q_value is null then '' else 'q ' || {{ three_digits('q_value') }} || ', ' end
    || case
        when value is null then replace(coalesce(reason, ''), '_', ' ')
        when p_value is null and ci_low is null and ci_high is null
        then replace(coalesce(inference_reason, ''), '_', ' ')
        else cast(n_root_prompts as string) || ' ' || {{ finding_unit() }} || case when n_root_prompts = 1 then '' else 's' end
    end
    || ')'
{%- endmacro %}

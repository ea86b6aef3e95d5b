{# What became of a response in a measure: scored, undecided, unscored (a text that a scorer has no value of), refused,
   empty, failed (no response) or other. reason: of a measurement. text: of the response. #}
{% macro loss_of(reason='reason', text='response_text') -%}
    case
        when {{ reason }} is null then 'scored'
        when {{ reason }} = 'undecided' then 'undecided'
        when {{ reason }} = 'response_refused' then 'refused'
        when {{ reason }} = 'response_empty' then 'empty'
        when {{ reason }} = 'response_error' then 'failed'
        when
            trim({{ text }}) <> ''
            and {{ reason }} in (
                'no_rule_matched', 'several_rules_matched', 'no_label_near', 'several_labels_near', 'no_words',
                'judge_disagrees', 'judge_unusable', 'classifier_failed', 'function_failed', 'not_finite',
                'missing_in_import', 'invalid_annotation'
            )
            then 'unscored'
        else 'other'
    end
{%- endmacro %}

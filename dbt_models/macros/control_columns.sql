{# What negative controls say of a hypothesis, and how the words of its groups were controlled. #}
{% macro control_columns() -%}
    {{ return([
        'p_permuted', 'q_permuted', 'p_negative_controls', 'n_negative_controls', 'n_control_types', 'wording_sd',
        'wording_sd_low', 'wording_sd_high', 'p_wording', 'control_floor', 'loudest_control', 'loudest_control_value',
        'wording', 'negative_controls_reason',
    ]) }}
{%- endmacro %}

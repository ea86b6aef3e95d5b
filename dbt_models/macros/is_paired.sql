{# Whether a statistic compares values with their baseline: it has pairs, of raw values only. #}
{% macro is_paired(statistic) -%}
    {{ statistic }} in ('correlation', 'kl_divergence', 'precision')
{%- endmacro %}

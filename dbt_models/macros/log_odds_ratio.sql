{# Log odds of k in n minus those of k_other in n_other, natural log. add=0.5e0 is the correction of Haldane and Anscombe;
   without it the caller excludes rates of 0 and 1. #}
{% macro log_odds_ratio(k, n, k_other, n_other, add=0) -%}
    ln(({{ k }} + {{ add }}) / ({{ n }} - {{ k }} + {{ add }}))
    - ln(({{ k_other }} + {{ add }}) / ({{ n_other }} - {{ k_other }} + {{ add }}))
{%- endmacro %}

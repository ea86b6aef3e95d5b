{# Quantile of the standard normal distribution; the caller sees to 0 < p < 1.
   Rational approximation, relative error under 1.2e-9. Source: P. J. Acklam 2003. #}
{% macro normal_quantile(p) -%}
{%- set tail = 0.02425 -%}
{%- set low = 'sqrt(-2 * ln(' ~ p ~ '))' -%}
{%- set high = 'sqrt(-2 * ln(1 - (' ~ p ~ ')))' -%}
{%- set centred = '((' ~ p ~ ') - 0.5)' -%}
{%- set squared = '(' ~ centred ~ ' * ' ~ centred ~ ')' -%}
{%- set a = [2.506628277459239e+00, -3.066479806614716e+01, 1.383577518672690e+02, -2.759285104469687e+02,
    2.209460984245205e+02, -3.969683028665376e+01] -%}
{%- set b = [1.0, -1.328068155288572e+01, 6.680131188771972e+01, -1.556989798598866e+02, 1.615858368580409e+02,
    -5.447609879822406e+01] -%}
{%- set c = [2.938163982698783e+00, 4.374664141464968e+00, -2.549732539343734e+00, -2.400758277161838e+00,
    -3.223964580411365e-01, -7.784894002430293e-03] -%}
{%- set d = [1.0, 3.754408661907416e+00, 2.445134137142996e+00, 3.224671290700398e-01, 7.784695709041462e-03] -%}
case
    when {{ p }} < {{ tail }} then {{ polynomial(c, low) }} / {{ polynomial(d, low) }}
    when {{ p }} > {{ 1 - tail }} then -{{ polynomial(c, high) }} / {{ polynomial(d, high) }}
    else {{ centred }} * {{ polynomial(a, squared) }} / {{ polynomial(b, squared) }}
end
{%- endmacro %}

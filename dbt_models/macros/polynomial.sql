{# A polynomial by Horner's rule, constant first. Each coefficient is cast: a decimal literal would overflow. #}
{% macro polynomial(coefficients, x) -%}
    {%- set sum = namespace(text='cast(' ~ coefficients[-1] ~ ' as double)') -%}
    {%- for coefficient in coefficients[:-1] | reverse -%}
        {%- set sum.text = '(' ~ sum.text ~ ' * ' ~ x ~ ' + cast(' ~ coefficient ~ ' as double))' -%}
    {%- endfor -%}
    {{ sum.text }}
{%- endmacro %}

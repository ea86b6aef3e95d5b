{# A limit of the 95 % interval of a share by Wilson, of n shares that vary no more than a yes or no; side + or -. #}
{% macro wilson(share, n, side) -%}
    {%- set z2 = '3.841458820694124e0 / nullif(' ~ n ~ ', 0)' -%}
    ({{ share }} + {{ z2 }} / 2 {{ side }} sqrt({{ z2 }} * ({{ share }} * (1 - {{ share }}) + {{ z2 }} / 4))) / (1 + {{ z2 }})
{%- endmacro %}

{# A double of 0 to 999 as text with three significant digits, put together from whole numbers, which every engine writes
   alike: a key must be the same text wherever it is computed. #}
{% macro digits_in_key(number) -%}
    trim(trailing '.' from trim(trailing '0' from
        case
            {% for limit, n_decimals in [(1, 3), (10, 2), (100, 1)] %}
            when {{ number }} < {{ limit }} then {{ fixed_decimals(number, n_decimals) }}
            {% endfor %}
            else cast(cast(round({{ number }}) as bigint) as string) || '.'
        end
    ))
{%- endmacro %}

{% macro fixed_decimals(number, n_decimals) -%}
{%- set scale = 10 ** n_decimals -%}
    cast(cast(floor(round({{ number }} * {{ scale }}) / {{ scale }}) as bigint) as string) || '.'
    || lpad(cast(cast(round({{ number }} * {{ scale }}) as bigint) % {{ scale }} as string), {{ n_decimals }}, '0')
{%- endmacro %}

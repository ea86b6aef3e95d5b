{# CTEs that end in `numbers`: 0 and up, below the bound in the one row of CTE limits, digit by digit and at most 1e9.
   Neither recursion nor a function that makes rows: the engines agree on none. #}
{% macro whole_numbers(bound) -%}
digits as (
    {%- for digit in range(10) %}
    select cast({{ digit }} as bigint) as digit{{ ' union all' if not loop.last }}
    {%- endfor %}
),
{% for place in range(9) %}
numbers{{ '_' ~ (place + 1) if not loop.last }} as (
    select {{ 'number + ' if place }}digit * {{ 10 ** place }} as number
    from digits
    {% if place %}cross join numbers_{{ place }}{% endif %}
    cross join limits
    where {{ 'number + ' if place }}digit * {{ 10 ** place }} < {{ bound }}
){{ ',' if not loop.last }}
{% endfor %}
{%- endmacro %}

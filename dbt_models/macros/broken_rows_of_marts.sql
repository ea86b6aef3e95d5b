{# Rows of marts that stand twice under their key, that have a value and a reason, or neither, or a reason that is not in
   the seed. keys: mart -> columns; values: mart -> the column that is NULL where reason is not; reasons: mart -> columns.
   One query for many marts: each test is a call of dbt. #}
{% macro broken_rows_of_marts(keys, values, reasons) -%}
{% for mart, columns in keys.items() %}
select '{{ mart }}' as mart, concat_ws(' | ', {{ columns | join(', ') }}) as row_key, 'stands twice' as what
from {{ ref(mart) }}
group by {{ columns | join(', ') }}
having count(*) > 1
union all
{% endfor %}
{% for mart, value in values.items() %}
select '{{ mart }}' as mart, concat_ws(' | ', {{ keys[mart] | join(', ') }}) as row_key, 'value or reason' as what
from {{ ref(mart) }}
where ({{ value }} is null) = (reason is null)
union all
{% endfor %}
{% for mart, columns in reasons.items() %}
{% set is_last_mart = loop.last %}
{% for column in columns %}
select '{{ mart }}' as mart, {{ column }} as row_key, 'unknown reason' as what
from {{ ref(mart) }}
where {{ column }} not in (select reason from {{ ref('reasons') }})
{{ 'union all' if not (loop.last and is_last_mart) }}
{% endfor %}
{% endfor %}
{%- endmacro %}

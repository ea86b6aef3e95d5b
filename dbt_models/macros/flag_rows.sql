{# Rows of one kind of red flag, in the columns that all kinds share. has: the columns of the source that the kind has;
   own: what others are; the rest is empty, '' for names and NULL for numbers. #}
{% macro flag_rows(source, has, own={}) -%}
    {%- set names = ['slice_id', 'system_id', 'measure_id', 'grouping_id', 'metric', 'group_id', 'category', 'reference'] -%}
    {%- set numbers = {'value': 'double', 'threshold': 'double', 'null_q95': 'double', 'verdict': 'string', 'n_models': 'bigint'} -%}
    select
        study_id,
        {% for name in ['flag', 'status'] + names + (numbers | list) + ['reason'] -%}
        {%- if name in own %}{{ own[name] }} as {{ name }}
        {%- elif name in has %}{{ name }}
        {%- elif name in numbers %}cast(null as {{ numbers[name] }}) as {{ name }}
        {%- elif name in names %}'' as {{ name }}
        {%- else %}{{ name }}
        {%- endif %}{{ ',' if not loop.last }}
        {% endfor -%}
    from {{ source }}
{%- endmacro %}

{# What names a red flag: its kind and the keys of its place that are not empty. #}
{% macro flag_id() -%}
    flags.flag
    {%- for key in ['slice_id', 'system_id', 'measure_id', 'grouping_id', 'metric', 'group_id', 'category', 'reference'] %}
    || case when flags.{{ key }} = '' then '' else ' | ' || flags.{{ key }} end
    {%- endfor %}
{%- endmacro %}

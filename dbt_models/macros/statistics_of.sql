{# One row per (keys, statistic, parameters): statistics of the rows of a relation by keys, and n, the rows or pairs that
   they are of. values: a relation with x, baseline, value_low and value_high (the edges of the bins of kl_divergence)
   and the keys; plain, paired: which of its rows count for a statistic, and for one that compares with the baseline.
   Where scale is a key, a statistic normalised before has that scale. #}
{% macro statistics_of(values, keys, asked, plain, paired) -%}
{%- set by = keys | join(', ') -%}
{%- set parts = namespace(selects=[]) -%}
with

given as (
    select * from {{ ref(values) }}
)

{%- for is_paired, name, rows in [(false, 'plain_scan', plain), (true, 'paired_scan', paired)] %},

{{ name }} as (
    select
        {{ by }},
        {% for one in asked if one.is_paired == is_paired and group_statistic(one) %}
        {{ group_statistic(one) }} as {{ statistic_column(one) }},
        {%- do parts.selects.append((one, name, statistic_column(one))) %}
        {% endfor %}
        count(*) as n
    from given
    where {{ rows }}
    group by {{ by }}
)
{%- endfor %}
{%- if asked | selectattr('statistic', 'in', ['skewness', 'kurtosis']) | list %},

{{ shapes_of(keys, plain) }}
    {%- for one in asked if one.statistic in ('skewness', 'kurtosis') -%}
    {%- do parts.selects.append((one, 'shapes', one.statistic)) -%}
    {%- endfor -%}
{%- endif %}
{%- for one in asked -%}
    {%- set name = statistic_column(one) -%}
    {%- if one.statistic == 'mode' %},

{{ mode_of(name, keys, plain, one.bin_width) }}
        {%- do parts.selects.append((one, name, 'value')) -%}
    {%- elif one.statistic == 'kl_divergence' %},

{{ divergence_of(name, keys, paired, one.n_bins, one.smoothing) }}
        {%- do parts.selects.append((one, name, 'value')) -%}
    {%- elif one.method == 'spearman' %},

{{ spearman_of(name, keys, paired) }}
        {%- do parts.selects.append((one, name, 'value')) -%}
    {%- elif one.method == 'kendall' %},

{{ kendall_of(name, keys, paired) }}
        {%- do parts.selects.append((one, name, 'value')) -%}
    {%- endif -%}
{%- endfor %}

{% for one, source, column in parts.selects %}
select
    {% for key in keys if key != 'scale' %}
    {{ key }},
    {% endfor %}
    '{{ one.statistic }}' as statistic,
    '{{ one.parameters | replace("'", "''") }}' as parameters,
    n,
    -- neither infinite nor NaN
    case when abs({{ column }}) <= 1e100 then {{ column }} end as value
from {{ source }}
{% if 'scale' in keys %}
where scale = '{{ one.normalise_over if one.normalise == "before" else "" }}'
{% endif %}
{{ 'union all' if not loop.last }}
{% else %}
select
    {% for key in keys if key != 'scale' %}
    {{ key }},
    {% endfor %}
    '' as statistic,
    '' as parameters,
    n,
    cast(null as double) as value
from plain_scan
where false
{% endfor %}
{%- endmacro %}

{# A name for the column or CTE of a statistic with its options. #}
{% macro statistic_column(asked) -%}
{{ return('s_' ~ local_md5(asked.statistic ~ asked.parameters)) }}
{%- endmacro %}

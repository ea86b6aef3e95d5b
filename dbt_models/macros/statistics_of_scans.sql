{# CTEs for statistics_of: statistics that one scan does not give. Each reads CTE given, and has the keys, n and value. #}

{# CTE shapes: skewness and kurtosis. Powers are of the distance from the mean of the group, so that large means lose no
   digits. #}
{% macro shapes_of(keys, rows) -%}
{%- set by = keys | join(', ') -%}
centres as (
    select {{ by }}, avg(x) as centre, {{ has_one_value('max(x)', 'min(x)') }} as is_constant
    from given
    where {{ rows }}
    group by {{ by }}
),

powers as (
    select
        {{ by }},
        is_constant,
        count(*) as n,
        {% for power, name in [(2, 'squares'), (3, 'cubes'), (4, 'fourths')] %}
        sum(power(x - centre, {{ power }})) as {{ name }}{{ ',' if not loop.last }}
        {% endfor %}
    from given
    inner join centres using ({{ by }})
    where {{ rows }}
    group by {{ by }}, is_constant
),

shapes as (
    select
        {{ by }},
        n,
        case when n > 2 and not is_constant then {{ skewness('n', 'squares', 'cubes') }} end as skewness,
        case when n > 3 and not is_constant then {{ kurtosis('n', 'squares', 'fourths') }} end as kurtosis
    from powers
)
{%- endmacro %}

{# Mid-point of the fullest bin of a width, the lowest of those. #}
{% macro mode_of(name, keys, rows, width) -%}
{%- set by = keys | join(', ') -%}
{{ name }}_bins as (
    select {{ by }}, {{ mode_bin('x', width) }} as bin, count(*) as n_bin
    from given
    where {{ rows }}
    group by {{ by }}, bin
),

{{ name }}_ranked as (
    select *, row_number() over (partition by {{ by }} order by n_bin desc, bin asc) as place
    from {{ name }}_bins
),

{{ name }} as (
    select {{ by }}, sum(n_bin) as n, max(case when place = 1 then (bin + 0.5) * {{ width }} end) as value
    from {{ name }}_ranked
    group by {{ by }}
)
{%- endmacro %}

{# KL divergence of x from baseline in nats. Both are counted over the same pairs and in the same bins, whose edges are
   those of the slice; a bin without any adds nothing, since both sides have n pairs. Source: metrics.md 2. #}
{% macro divergence_of(name, keys, rows, n_bins, smoothing) -%}
{%- set by = keys | join(', ') -%}
{{ name }}_sides as (
    select {{ by }}, {{ bin_of('x', n_bins) }} as bin, 1 as is_x
    from given
    where {{ rows }}
    union all
    select {{ by }}, {{ bin_of('baseline', n_bins) }} as bin, 0 as is_x
    from given
    where {{ rows }}
),

{{ name }}_counts as (
    select
        {{ by }},
        sum(is_x) as n_pairs,
        sum(is_x) + {{ smoothing }} as n_x,
        count(*) - sum(is_x) + {{ smoothing }} as n_baseline
    from {{ name }}_sides
    group by {{ by }}, bin
),

{{ name }} as (
    select
        {{ by }},
        sum(n_pairs) as n,
        sum(n_x * ln(n_x / n_baseline)) / (sum(n_pairs) + {{ n_bins * smoothing }}) as value
    from {{ name }}_counts
    group by {{ by }}
)
{%- endmacro %}

{# Spearman's correlation: Pearson's of the ranks in the group, ties with their mean rank. #}
{% macro spearman_of(name, keys, rows) -%}
{%- set by = keys | join(', ') -%}
{{ name }}_ranks as (
    select
        {{ by }},
        {% for side in ['x', 'baseline'] %}
        rank() over (partition by {{ by }} order by {{ side }})
        + (count(*) over (partition by {{ by }}, {{ side }}) - 1) / 2.0 as {{ side }}{{ ',' if not loop.last }}
        {% endfor %}
    from given
    where {{ rows }}
),

{{ name }} as (
    select {{ by }}, count(*) as n, {{ paired_correlation() }} as value
    from {{ name }}_ranks
    group by {{ by }}
)
{%- endmacro %}

{# Kendall's tau-b over all pairs of pairs: the work grows with the square of the size of a group. #}
{% macro kendall_of(name, keys, rows) -%}
{%- set by = keys | join(', ') -%}
{{ name }}_pairs as (
    select * from given where {{ rows }}
),

{{ name }} as (
    select
        {{ by }},
        cast(sqrt(count(*)) as bigint) as n,
        sum(sign(one.x - two.x) * sign(one.baseline - two.baseline))
        / nullif(sqrt(sum(abs(sign(one.x - two.x))) * sum(abs(sign(one.baseline - two.baseline)))), 0) as value
    from {{ name }}_pairs as one
    inner join {{ name }}_pairs as two using ({{ by }})
    group by {{ by }}
)
{%- endmacro %}

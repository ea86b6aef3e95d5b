-- One row per (comparison_position, is_paired, group_position, is_own): every statistic of both sides of
-- int_statistic_sides. skewness and kurtosis by powers of the distance from the mean, kl_divergence in
-- the bins of the slice, as int_group_shapes and int_group_divergences have them.
with

sides as (
    select * from {{ ref('int_statistic_sides') }}
),

comparisons as (
    select * from {{ ref('int_comparisons') }}
),

ranges as (
    select * from {{ ref('int_value_ranges') }}
),

{% set keys = 'comparison_position, is_paired, group_position, is_own' %}
one_scan as (
    select
        {{ keys }},
        count(*) as n,
        {{ has_one_value('max(x)', 'min(x)') }} as is_constant,
        {% for name, aggregate in group_statistics().items() %}
        {{ aggregate }} as {{ name }}{{ ',' if not loop.last }}
        {% endfor %}
    from sides
    group by {{ keys }}
),

powers as (
    select
        sides.comparison_position,
        sides.is_paired,
        sides.group_position,
        sides.is_own,
        {% for power, name in [(2, 'squares'), (3, 'cubes'), (4, 'fourths')] %}
        sum(power(sides.x - one_scan.mean, {{ power }})) as {{ name }}{{ ',' if not loop.last }}
        {% endfor %}
    from sides
    inner join one_scan
        on sides.comparison_position = one_scan.comparison_position
        and sides.is_paired = one_scan.is_paired
        and sides.group_position = one_scan.group_position
        and sides.is_own = one_scan.is_own
    where not sides.is_paired
    group by sides.comparison_position, sides.is_paired, sides.group_position, sides.is_own
),

binned as (
    select
        sides.comparison_position,
        sides.is_paired,
        sides.group_position,
        sides.is_own,
        {{ bin_of('sides.x') }} as bin_of_x,
        {{ bin_of('sides.baseline') }} as bin_of_baseline
    from sides
    inner join comparisons on sides.comparison_position = comparisons.comparison_position
    inner join ranges
        on comparisons.slice_id = ranges.slice_id
        and comparisons.outcome_position = ranges.outcome_position
    where sides.is_paired
),

bins as (
    select {{ keys }}, bin_of_x as bin, 1 as is_x from binned
    union all
    select {{ keys }}, bin_of_baseline as bin, 0 as is_x from binned
),

bin_counts as (
    select
        {{ keys }},
        sum(is_x) as n_pairs,
        sum(is_x) + {{ kl_bins().smoothing }} as n_x,
        count(*) - sum(is_x) + {{ kl_bins().smoothing }} as n_baseline
    from bins
    group by {{ keys }}, bin
),

divergences as (
    select
        {{ keys }},
        sum(n_x * ln(n_x / n_baseline)) / (sum(n_pairs) + {{ kl_bins().n * kl_bins().smoothing }}) as kl_divergence
    from bin_counts
    group by {{ keys }}
)

select
    one_scan.comparison_position,
    one_scan.is_paired,
    one_scan.group_position,
    one_scan.is_own,
    one_scan.n,
    {% for name in group_statistics() %}
    one_scan.{{ name }},
    {% endfor %}
    case when n > 2 and not is_constant then {{ skewness('n', 'squares', 'cubes') }} end as skewness,
    case when n > 3 and not is_constant then {{ kurtosis('n', 'squares', 'fourths') }} end as kurtosis,
    divergences.kl_divergence
from one_scan
left join powers
    on one_scan.comparison_position = powers.comparison_position
    and one_scan.is_paired = powers.is_paired
    and one_scan.group_position = powers.group_position
    and one_scan.is_own = powers.is_own
left join divergences
    on one_scan.comparison_position = divergences.comparison_position
    and one_scan.is_paired = divergences.is_paired
    and one_scan.group_position = divergences.group_position
    and one_scan.is_own = divergences.is_own

{# CTEs of int_statistic_values: correlations with the baseline that look at the order of values alone. #}
{% macro rank_correlations_of_samples() -%}
ranked_pairs as (
    select sample_statistics.sample_statistic_position, samples.group_position, samples.x, samples.baseline, sample_statistics.method
    from samples
    inner join sample_statistics using (sample_position)
    where samples.is_pair and sample_statistics.method in ('spearman', 'kendall')
),

spearman_ranks as (
    -- ties have their mean rank
    select
        sample_statistic_position,
        group_position,
        {% for side in ['x', 'baseline'] %}
        rank() over (partition by sample_statistic_position, group_position order by {{ side }} asc nulls last)
        + (count(*) over (partition by sample_statistic_position, group_position, {{ side }}) - 1) / 2.0e0 as {{ side }}
        {{- ',' if not loop.last }}
        {% endfor %}
    from ranked_pairs
    where method = 'spearman'
),

kendall_pairs as (
    select * from ranked_pairs where method = 'kendall'
),

rank_correlations as (
    select sample_statistic_position, group_position, {{ paired_correlation() }} as value
    from spearman_ranks
    group by sample_statistic_position, group_position
    union all
    -- tau-b over all pairs of pairs: the work grows with the square of the size of a group
    select
        sample_statistic_position,
        group_position,
        sum(sign(one.x - two.x) * sign(one.baseline - two.baseline))
        / nullif(sqrt(sum(abs(sign(one.x - two.x))) * sum(abs(sign(one.baseline - two.baseline)))), 0) as value
    from kendall_pairs as one
    inner join kendall_pairs as two using (sample_statistic_position, group_position)
    group by sample_statistic_position, group_position
)
{%- endmacro %}

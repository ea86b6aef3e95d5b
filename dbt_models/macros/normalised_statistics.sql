{# CTEs of int_statistics: long_statistics with those that are normalised after they were taken. #}
{% macro normalised_statistics() -%}
pooled as (
    -- what a statistic is normalised by afterwards: the groups of its generation, or of all but the baseline
    select
        pool_position,
        statistic_position,
        avg(value_as_it_is) as centre,
        case
            when not ({{ has_one_value('max(value_as_it_is)', 'min(value_as_it_is)') }})
            then stddev_samp(value_as_it_is)
        end as spread
    from long_statistics
    where normalise = 'after' and is_in_pool
    group by pool_position, statistic_position
),

normalised_statistics as (
    select
        long_statistics.*,
        case
            when long_statistics.normalise = 'after'
            then {{ normalised('long_statistics.value_as_it_is', 'pooled.centre', 'pooled.spread') }}
            else long_statistics.value_as_it_is
        end as value,
        case when long_statistics.is_of_pairs then long_statistics.n_responses - long_statistics.n_pairs else 0 end
            as n_unpaired
    from long_statistics
    left join pooled using (pool_position, statistic_position)
)
{%- endmacro %}

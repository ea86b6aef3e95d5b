{# CTEs of int_statistic_values: statistics that one scan of a sample gives, and skewness and kurtosis. To add one of
   one scan: its aggregate in value_scan, or in pair_scan where it compares with the baseline, its line in moments, and
   one in `expected` of tests/dbt_models/test_traps.py. #}
{% macro moments_of_samples() -%}
value_scan as (
    select
        sample_position,
        group_position,
        count(*) as n,
        avg(x) as mean,
        var_samp(x) as variance,
        stddev_samp(x) as standard_deviation,
        min(x) as value_low,
        max(x) as value_high
    from samples
    group by sample_position, group_position
),

pair_scan as (
    select sample_position, group_position, {{ paired_correlation() }} as pearson
    from samples
    where is_pair
    group by sample_position, group_position
),

shaped as (
    select value_scan.*
    from value_scan
    inner join (
        select sample_position from sample_statistics where statistic in ('skewness', 'kurtosis') group by sample_position
    ) as shape_samples using (sample_position)
    where not ({{ has_one_value('value_scan.value_high', 'value_scan.value_low') }})
),

distances as (
    -- from the mean of the group, so that large means lose no digits
    select sample_position, group_position, samples.x - shaped.mean as distance
    from samples
    inner join shaped using (sample_position, group_position)
),

powers as (
    select
        sample_position,
        group_position,
        sum(distance * distance) as squares,
        sum(distance * distance * distance) as cubes,
        sum(distance * distance * distance * distance) as fourths
    from distances
    group by sample_position, group_position
),

moments as (
    select
        sample_statistics.sample_statistic_position,
        group_position,
        case sample_statistics.statistic
            when 'mean' then value_scan.mean
            when 'variance' then value_scan.variance
            when 'standard_deviation' then value_scan.standard_deviation
            when 'range' then value_scan.value_high - value_scan.value_low
            when 'skewness' then case when n > 2 then {{ skewness('n', 'squares', 'cubes') }} end
            when 'kurtosis' then case when n > 3 then {{ kurtosis('n', 'squares', 'fourths') }} end
        end as value
    from sample_statistics
    inner join value_scan using (sample_position)
    left join powers using (sample_position, group_position)
    where sample_statistics.statistic in ('mean', 'variance', 'standard_deviation', 'range', 'skewness', 'kurtosis')
    union all
    select sample_statistics.sample_statistic_position, pair_scan.group_position, pair_scan.pearson as value
    from sample_statistics
    inner join pair_scan using (sample_position)
    where sample_statistics.method = 'pearson'
)
{%- endmacro %}

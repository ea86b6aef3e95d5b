{# CTEs of int_statistic_values: quantiles, linear between the two nearest values, and differences of two. Levels are
   data, so that no aggregate has them: values are numbered, and a level says which two it lies between. #}
{% macro quantiles_of_samples() -%}
levels as (
    select sample_statistic_position, sample_position, coalesce(level_low, 0.5e0) as quantile_level, false as is_upper
    from sample_statistics
    where statistic in ('median', 'quantile', 'percentile', 'quantile_range', 'percentile_range')
    union all
    select sample_statistic_position, sample_position, level_high as quantile_level, true as is_upper
    from sample_statistics
    where statistic in ('quantile_range', 'percentile_range')
),

levelled as (
    select sample_position, quantile_level
    from levels
    group by sample_position, quantile_level
),

places as (
    select
        sample_position,
        value_scan.group_position,
        levelled.quantile_level,
        levelled.quantile_level * (value_scan.n - 1) as level_place,
        cast(floor(levelled.quantile_level * (value_scan.n - 1)) as bigint) as place_below
    from value_scan
    inner join levelled using (sample_position)
),

sought as (
    select *, place_below as place from places
    union all
    select *, place_below + 1 as place from places
),

numbered as (
    select
        sample_position,
        group_position,
        x,
        row_number() over (partition by sample_position, group_position order by x asc nulls last) - 1 as place
    from samples
    where sample_position in (select sample_position from levelled)
),

quantiles as (
    -- the largest value has none above it
    select
        sample_position,
        group_position,
        sought.quantile_level,
        min(numbered.x) + (max(numbered.x) - min(numbered.x)) * (max(sought.level_place) - max(sought.place_below))
            as quantile
    from numbered
    inner join sought using (sample_position, group_position, place)
    group by sample_position, group_position, sought.quantile_level
),

quantile_statistics as (
    -- of two levels the upper quantile less the lower one
    select
        levels.sample_statistic_position,
        group_position,
        case
            when count(*) = 1 then max(quantiles.quantile)
            else
                max(case when levels.is_upper then quantiles.quantile end)
                - max(case when not levels.is_upper then quantiles.quantile end)
        end as value
    from levels
    inner join quantiles using (sample_position, quantile_level)
    group by levels.sample_statistic_position, group_position
)
{%- endmacro %}

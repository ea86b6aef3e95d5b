{# CTEs of int_statistic_values: mid-point of the fullest bin of a width, the lowest of those. #}
{% macro modes_of_samples() -%}
mode_bins as (
    select
        sample_statistics.sample_statistic_position,
        samples.group_position,
        {{ mode_bin('samples.x', 'sample_statistics.bin_width') }} as bin,
        count(*) as n_bin
    from samples
    inner join sample_statistics using (sample_position)
    where sample_statistics.statistic = 'mode'
    group by sample_statistics.sample_statistic_position, samples.group_position, bin
),

fullest_bins as (
    select sample_statistic_position, group_position, max(n_bin) as n_bin
    from mode_bins
    group by sample_statistic_position, group_position
),

modes as (
    select
        sample_statistic_position,
        group_position,
        (min(mode_bins.bin) + 0.5e0) * min(sample_statistics.bin_width) as value
    from mode_bins
    inner join fullest_bins using (sample_statistic_position, group_position, n_bin)
    inner join sample_statistics using (sample_statistic_position)
    group by sample_statistic_position, group_position
)
{%- endmacro %}

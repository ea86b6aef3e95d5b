{# CTEs of int_statistic_values: mid-point of the fullest bin of a width, the lowest of those. #}
{% macro modes_of_samples() -%}
mode_bins as (
    select
        asked.asked_position,
        samples.group_position,
        {{ mode_bin('samples.x', 'asked.bin_width') }} as bin,
        count(*) as n_bin
    from samples
    inner join asked using (sample_position)
    where samples.is_value and asked.statistic = 'mode'
    group by asked.asked_position, samples.group_position, bin
),

fullest_bins as (
    select asked_position, group_position, max(n_bin) as n_bin, cast(sum(n_bin) as bigint) as n
    from mode_bins
    group by asked_position, group_position
),

modes as (
    select
        asked_position,
        group_position,
        fullest_bins.n,
        (min(mode_bins.bin) + 0.5e0) * min(asked.bin_width) as value
    from mode_bins
    inner join fullest_bins using (asked_position, group_position, n_bin)
    inner join asked using (asked_position)
    group by asked_position, group_position, fullest_bins.n
)
{%- endmacro %}

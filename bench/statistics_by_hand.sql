-- The 14 statistics and 10 disparities of bench_statistics.py in one query that knows this study: its one grouping, its
-- one slice, its options, DuckDB's own functions. What dbt's models are held against, in time and in numbers.
create or replace temp table by_hand as
with

value_pairs as (
    select system_id, measure_id, level as group_id, value, baseline_value
    from raw.measurements
    inner join raw.measures using (study_id, measure_id)
    inner join raw.prompt_factors using (study_id, prompt_id)
    where kind = 'continuous' and factor = 'concept' and value is not null
),

outcomes as (
    select system_id, measure_id, 'raw' as calibration, group_id, value as x, baseline_value as baseline
    from value_pairs
    union all
    select
        system_id,
        measure_id,
        'calibrated' as calibration,
        group_id,
        value - baseline_value as x,
        null as baseline
    from value_pairs
    where baseline_value is not null
),

ranges as (
    select
        system_id,
        measure_id,
        calibration,
        avg(x) as standard,
        least(min(x) filter (where baseline is not null), min(baseline)) as low,
        greatest(max(x) filter (where baseline is not null), max(baseline)) as high
    from outcomes
    group by all
),

placed as (
    select
        outcomes.*,
        standard,
        floor(x / 0.1e0 + 1e-9) as mode_bin,
        case when baseline is not null then least(floor((x - low) / (high - low) * 10), 9) end as x_bin,
        least(floor((baseline - low) / (high - low) * 10), 9) as baseline_bin
    from outcomes
    inner join ranges using (system_id, measure_id, calibration)
),

scanned as (
    select
        system_id,
        measure_id,
        calibration,
        group_id,
        avg(x) as mean,
        median(x) as median,
        var_samp(x) as variance,
        stddev_samp(x) as standard_deviation,
        skewness(x) as skewness,
        kurtosis(x) as kurtosis,
        max(x) - min(x) as range,
        quantile_cont(x, 0.75e0) - quantile_cont(x, 0.25e0) as quantile_range,
        quantile_cont(x, 0.75e0) - quantile_cont(x, 0.25e0) as percentile_range,
        corr(x, baseline) as correlation,
        avg((abs(x - baseline) <= 0.1e0 + 1e-12)::double) as precision,
        avg((x >= standard - 1e-12)::double) as selection_rate,
        count(baseline) as n_pairs,
        histogram(mode_bin) as mode_bins,
        histogram(x_bin) as x_bins,
        histogram(baseline_bin) as baseline_bins
    from placed
    group by all
),

counted as (
    select
        * exclude (n_pairs, mode_bins, x_bins, baseline_bins),
        0.1e0 * (
            0.5e0 + map_keys(mode_bins)[list_position(map_values(mode_bins), list_max(map_values(mode_bins)))]
        ) as mode,
        case
            when n_pairs > 0
            then
                list_sum([
                    (coalesce(x_bins[b], 0) + 0.5e0)
                    * ln((coalesce(x_bins[b], 0) + 0.5e0) / (coalesce(baseline_bins[b], 0) + 0.5e0))
                    for b in range(10)
                ]) / (n_pairs + 5)
        end as kl_divergence
    from scanned
),

statistics as (
    unpivot counted
    on columns(* exclude (system_id, measure_id, calibration, group_id))
    into name statistic value value
)

select *, avg(value) over groups_compared as value_mean, stddev_samp(value) over groups_compared as value_sd
from statistics
window groups_compared as (partition by system_id, measure_id, calibration, statistic);

create or replace temp table disparities_by_hand as
with

profiles as (
    select
        system_id,
        measure_id,
        calibration,
        statistic,
        list_sort(list(value)) as ordered,
        avg(value) as mean,
        stddev_samp(value) as standard_deviation
    from by_hand
    group by all
),

metrics as (
    select
        * exclude (ordered),
        ordered[-1] as max,
        ordered[1] as min,
        ordered[-1] - ordered[1] as range,
        case when ordered[1] >= 0 or ordered[-1] < 0 then ordered[1] / nullif(ordered[-1], 0) end as min_max_ratio,
        (ordered[-1] - mean) / standard_deviation as max_z,
        greatest(ordered[-1] - mean, mean - ordered[1]) / standard_deviation as max_abs_z,
        (ordered[3] - ordered[1]) / (ordered[-3] - ordered[1]) as dixon_low,
        (ordered[-1] - ordered[-3]) / (ordered[-1] - ordered[3]) as dixon_high
    from profiles
)

unpivot metrics
on columns(* exclude (system_id, measure_id, calibration, statistic))
into name metric value value

{% set by = 'study_id, log, system_id, measure_id, reducer, group_factor, group_level' -%}
{% set tolerance = '1.0e-6' -%}
with

metrics as (
    select * from {{ source('raw', 'imported_metrics') }}
),

sums as (
    select * from {{ ref('int_imported_sums') }}
),

labels as (
    select * from {{ ref('int_imported_labels') }}
),

computed as (
    select
        metrics.*,
        sums.n,
        case
            when metrics.reason is not null or sums.n is null then null
            when aggregation = 'mean' then sums.mean_value
            when aggregation = 'stderr' then sqrt(sums.variance / sums.n)
            when aggregation = 'standard_deviation' then sqrt(sums.variance)
            when aggregation = 'variance' then sums.variance
            when aggregation = 'upper_median' then sums.upper_median
            when aggregation = 'perplexity' then exp(-sums.mean_value)
            when aggregation = 'weighted_perplexity' then exp(-sums.weighted_mean)
            when aggregation = 'bits_per_byte' then -sums.weighted_mean / ln(2.0e0)
            when aggregation = 'f1' then sums.f1
            when aggregation = 'matthews_correlation' then sums.matthews_correlation
            when aggregation = 'share' then coalesce(labels.n_given, 0) / cast(sums.n as double)
            when aggregation = 'count' then cast(coalesce(labels.n_given, 0) as double)
        end as value_recomputed
    from metrics
    left join sums using ({{ by }})
    left join labels using ({{ by }}, label)
),

told as (
    select
        *,
        case when reason is null and value_recomputed is null then 'no_values' else reason end as why_not,
        abs(value_recomputed - value_published)
        <= {{ tolerance }} * greatest(abs(value_recomputed), abs(value_published), {{ tolerance }}) as is_equal,
        case when n < n_published then 'samples_left_out' else caveat end as why_different
    from computed
)

select
    study_id,
    metric_position,
    log,
    task,
    scorer,
    reducer,
    metric,
    system_id,
    measure_id,
    aggregation,
    group_factor,
    group_level,
    n_published,
    cast(coalesce(n, 0) as bigint) as n,
    value_published,
    value_recomputed,
    value_recomputed - value_published as difference,
    case
        when why_not is not null then 'not_imported'
        when is_equal then 'equal'
        when why_different is not null then 'different_by_design'
        else 'different'
    end as status,
    case when why_not is not null then why_not when not is_equal then why_different end as reason
from told

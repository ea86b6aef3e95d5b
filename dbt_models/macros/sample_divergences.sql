{# CTEs of int_statistic_values: KL divergence of x from baseline in nats. Both are counted over the same pairs and in the
   same bins, whose edges are those of the slice; a bin without any adds nothing, since both sides have n pairs.
   Source: metrics.md 2. #}
{% macro divergences_of_samples() -%}
binning as (
    -- the edges are on the scale of the sample
    select
        sample_position,
        sample_statistics.sample_statistic_position,
        sample_statistics.n_bins,
        {% for edge in ['value_low', 'value_high'] %}
        case
            when numbered_samples.scale = '' then numbered_samples.{{ edge }}
            else {{ normalised('numbered_samples.' ~ edge, 'numbered_samples.centre', 'numbered_samples.spread') }}
        end as {{ edge }}{{ ',' if not loop.last }}
        {% endfor %}
    from sample_statistics
    inner join numbered_samples using (sample_position)
    where sample_statistics.statistic = 'kl_divergence'
),

binned_pairs as (
    select
        binning.sample_statistic_position,
        samples.group_position,
        {{ bin_of('samples.x', 'binning') }} as bin_of_x,
        {{ bin_of('samples.baseline', 'binning') }} as bin_of_baseline
    from samples
    inner join binning using (sample_position)
    where samples.is_pair
),

binned as (
    select sample_statistic_position, group_position, bin_of_x as bin, 1 as is_x
    from binned_pairs
    union all
    select sample_statistic_position, group_position, bin_of_baseline as bin, 0 as is_x
    from binned_pairs
),

bin_counts as (
    select sample_statistic_position, group_position, bin, sum(is_x) as n_x, count(*) - sum(is_x) as n_baseline
    from binned
    group by sample_statistic_position, group_position, bin
),

divergences as (
    select
        sample_statistic_position,
        bin_counts.group_position,
        sum(
            (bin_counts.n_x + sample_statistics.smoothing)
            * ln((bin_counts.n_x + sample_statistics.smoothing) / (bin_counts.n_baseline + sample_statistics.smoothing))
        )
        / (sum(bin_counts.n_x) + min(sample_statistics.n_bins * sample_statistics.smoothing)) as value
    from bin_counts
    inner join sample_statistics using (sample_statistic_position)
    group by sample_statistic_position, bin_counts.group_position
)
{%- endmacro %}

{# The bin of x among n_bins equal ones between value_low and value_high, as a code from 0; the largest value belongs to
   the last bin, and what negative controls have beyond the edges to the outer ones. #}
{% macro bin_of(x, bins) -%}
    case
        when {{ bins }}.value_low = {{ bins }}.value_high then 0
        else
            cast(
                greatest(
                    least(
                        floor(
                            ({{ x }} - {{ bins }}.value_low)
                            / ({{ bins }}.value_high - {{ bins }}.value_low) * {{ bins }}.n_bins
                        ),
                        {{ bins }}.n_bins - 1
                    ),
                    0
                ) as integer
            )
    end
{%- endmacro %}

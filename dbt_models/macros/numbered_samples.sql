{# CTEs of int_statistic_values: which samples there are, numbered, and which statistics are taken of each. A sample is the
   values of all groups of a comparison, as they are (scale '') or normalised. #}
{% macro numbered_samples() -%}
statistic_samples as (
    select *, case when normalise = 'before' then normalise_over else '' end as scale
    from statistics
),

sample_kinds as (
    select study_id, scale
    from statistic_samples
    group by study_id, scale
),

numbered_samples as (
    select
        comparisons.comparison_position,
        sample_kinds.scale,
        scales.centre,
        scales.spread,
        ranges.value_low,
        ranges.value_high,
        comparisons.study_id,
        cast(
            row_number() over (order by comparisons.comparison_position asc, sample_kinds.scale asc) as integer
        ) as sample_position
    from comparisons
    inner join sample_kinds using (study_id)
    left join scales
        on comparisons.slice_id = scales.slice_id
        and comparisons.outcome_position = scales.outcome_position
        and sample_kinds.scale = scales.normalise_over
    left join ranges
        on comparisons.slice_id = ranges.slice_id
        and comparisons.outcome_position = ranges.outcome_position
    where sample_kinds.scale = '' or scales.spread is not null
),

sample_statistics as (
    select
        numbered_samples.sample_position,
        statistic_samples.*,
        cast(
            row_number() over (
                order by
                    numbered_samples.sample_position asc,
                    statistic_samples.statistic asc,
                    statistic_samples.parameters asc
            ) as integer
        ) as sample_statistic_position
    from numbered_samples
    inner join statistic_samples using (study_id, scale)
)
{%- endmacro %}

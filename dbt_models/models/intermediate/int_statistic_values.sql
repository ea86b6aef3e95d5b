-- One row per (comparison_position, group_position, side, statistic, parameters): what the values of a group give, of
-- every statistic that the study asks for and that is neither a share of selected values (int_cell_sums) nor its own
-- expression (int_custom_statistics); and those of both sides of a difference that it asks for. A statistic that is
-- normalised afterwards stands here as it is. NULL where it is undefined, or not finite.
-- A sample is the values of one side of all groups of a comparison, as they are (scale '') or normalised.
with

grouped_values as (
    select * from {{ ref('int_grouped_values') }} where x is not null
),

sides as (
    select * from {{ ref('int_statistic_sides') }}
),

comparisons as (
    select * from {{ ref('int_comparisons') }} where kind in ('continuous', 'binary')
),

ranges as (
    select * from {{ ref('int_value_ranges') }}
),

scales as (
    select * from {{ ref('int_normal_scales') }}
),

statistics as (
    select * from {{ source('raw', 'statistics') }}
    where expression is null and statistic not in ('selection_rate', 'precision')
),

contrasts as (
    select * from {{ source('raw', 'contrasts') }}
),

statistic_samples as (
    select *, 'group' as side, case when normalise = 'before' then normalise_over else '' end as scale
    from statistics
    union all
    select statistics.*, two_sides.side, '' as scale
    from statistics
    inner join contrasts
        on statistics.study_id = contrasts.study_id
        and statistics.statistic || '_difference' = contrasts.contrast
    cross join (select 'own' as side union all select 'rest' as side) as two_sides
    where statistics.statistic <> 'mean' and statistics.normalise = ''
),

sample_kinds as (
    select study_id, side, scale
    from statistic_samples
    group by study_id, side, scale
),

numbered_samples as (
    select
        comparisons.comparison_position,
        sample_kinds.side,
        sample_kinds.scale,
        scales.centre,
        scales.spread,
        ranges.value_low,
        ranges.value_high,
        comparisons.study_id,
        cast(
            row_number() over (
                order by comparisons.comparison_position asc, sample_kinds.side asc, sample_kinds.scale asc
            ) as integer
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

asked as (
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
        ) as asked_position
    from numbered_samples
    inner join statistic_samples using (study_id, side, scale)
),

samples as (
    select
        numbered_samples.sample_position,
        grouped_values.group_position,
        true as is_value,
        grouped_values.baseline is not null as is_pair,
        {% for column in ['x', 'baseline'] %}
        case
            when numbered_samples.scale = '' then grouped_values.{{ column }}
            else {{ normalised('grouped_values.' ~ column, 'numbered_samples.centre', 'numbered_samples.spread') }}
        end as {{ column }}{{ ',' if not loop.last }}
        {% endfor %}
    from grouped_values
    inner join numbered_samples using (comparison_position)
    where numbered_samples.side = 'group'
    union all
    select
        numbered_samples.sample_position,
        sides.group_position,
        not sides.is_paired as is_value,
        sides.is_paired as is_pair,
        sides.x,
        sides.baseline
    from sides
    inner join numbered_samples using (comparison_position, side)
),

{{ moments_of_samples() }},

{{ quantiles_of_samples() }},

{{ modes_of_samples() }},

{{ divergences_of_samples() }},

{{ rank_correlations_of_samples() }},

found as (
    select * from moments
    union all
    select * from quantile_statistics
    union all
    select * from modes
    union all
    select * from divergences
    union all
    select * from rank_correlations
)

select
    numbered_samples.comparison_position,
    found.group_position,
    numbered_samples.side,
    asked.statistic,
    asked.parameters,
    found.n,
    -- neither infinite nor NaN
    case when abs(found.value) <= 1e100 then found.value end as value
from found
inner join asked using (asked_position)
inner join numbered_samples using (sample_position)

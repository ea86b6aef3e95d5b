with

grouped_values as (
    select * from {{ ref('int_grouped_values') }} where x is not null
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
    where expression is null and function_path is null and statistic not in ('selection_rate', 'precision')
),

{{ numbered_samples() }},

samples as (
    select
        numbered_samples.sample_position,
        grouped_values.group_position,
        grouped_values.baseline is not null as is_pair,
        {% for column in ['x', 'baseline'] %}
        case
            when numbered_samples.scale = '' then grouped_values.{{ column }}
            else {{ normalised('grouped_values.' ~ column, 'numbered_samples.centre', 'numbered_samples.spread') }}
        end as {{ column }}{{ ',' if not loop.last }}
        {% endfor %}
    from grouped_values
    inner join numbered_samples using (comparison_position)
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
    sample_statistics.statistic,
    sample_statistics.parameters,
    -- neither infinite nor NaN
    case when abs(found.value) <= 1e100 then found.value end as value
from found
inner join sample_statistics using (sample_statistic_position)
inner join numbered_samples using (sample_position)

with

group_statistics as (
    select * from {{ ref('int_group_statistics') }} where n_responses > 0
),

cells as (
    select * from {{ ref('int_cell_sums') }} where n_selectable > 0 and n_selected is not null
),

comparisons as (
    select * from {{ ref('int_comparisons') }}
),

standards as (
    select * from {{ ref('int_selection_standards') }}
),

group_references as (
    select * from {{ ref('int_references') }} where other_position is not null
),

contrasts as (
    select * from {{ source('raw', 'contrasts') }}
),

requested as (
    select standards.*
    from standards
    inner join contrasts
        on standards.study_id = contrasts.study_id
        and standards.statistic || '_difference' = contrasts.contrast
),

totals as (
    select comparison_position, 'mean' as statistic, '' as parameters, group_position, total, n_responses as n
    from group_statistics
    union all
    select
        comparison_position,
        statistic,
        parameters,
        group_position,
        cast(sum(n_selected) as double) as total,
        sum(n_selectable) as n
    from cells
    inner join comparisons using (comparison_position)
    inner join requested using (study_id, slice_id, outcome_position, selection_position)
    group by comparison_position, statistic, parameters, group_position
),

pooled as (
    select
        *,
        total / n as own_mean,
        sum(total) over compared as total_of_all,
        sum(n) over compared as n_of_all
    from totals
    window compared as (partition by comparison_position, statistic, parameters)
)

select
    comparison_position,
    statistic,
    parameters,
    group_position,
    'rest' as reference,
    own_mean,
    case when n_of_all > n then (total_of_all - total) / (n_of_all - n) end as other_mean
from pooled
union all
select
    comparison_position,
    statistic,
    parameters,
    group_position,
    'grand_mean' as reference,
    own_mean,
    case when n_of_all > n then total_of_all / n_of_all end as other_mean
from pooled
union all
select
    pooled.comparison_position,
    pooled.statistic,
    pooled.parameters,
    pooled.group_position,
    group_references.reference,
    pooled.own_mean,
    others.own_mean as other_mean
from pooled
inner join comparisons using (comparison_position)
inner join group_references using (study_id, slice_id, grouping_id, group_position)
inner join pooled as others
    on pooled.comparison_position = others.comparison_position
    and pooled.statistic = others.statistic
    and pooled.parameters = others.parameters
    and group_references.other_position = others.group_position

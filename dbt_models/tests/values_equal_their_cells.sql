-- A value by SQL and the same by inference are one number. Contrasts: those of means of cells in every design, whatever
-- they are compared with; those that pool responses where the design is balanced. Disparities: where all blocks are
-- complete and equally replicated. Values far from 0 with little spread, such as dates in seconds, leave what is
-- standardised as many digits less.
{% set of_means = [
    'mean_difference', 'risk_difference', 'log_disparity', 'selection_rate_difference', 'precision_difference'
] %}
{% set of_cells = of_means + ['dbi'] %}
{% set comparison = 'study_id, slice_id, generation_id, measure_id, calibration, grouping_id' %}
with

balanced as (
    select distinct {{ comparison }}
    from {{ ref('int_comparisons') }}
    inner join {{ ref('int_designs') }} as designs using (comparison_position)
    where designs.is_balanced
),

profiles as (
    select
        {{ comparison }},
        statistic,
        parameters,
        case when value_sd > 0 then greatest(abs(value_max), abs(value_min)) / value_sd else 0 end as lost
    from {{ ref('int_statistic_profiles') }}
    where is_balanced
    union all
    select {{ comparison }}, statistic, parameters, 0 as lost
    from {{ ref('int_label_profiles') }}
    where is_balanced
),

every_value as (
    select
        {{ comparison }},
        group_id,
        contrast as name,
        category,
        reference,
        '' as statistic,
        '' as parameters,
        contrasts.value,
        inference.value_cells,
        case when contrast in ('{{ of_means | join("', '") }}') then 1e-9 else 1e-5 end as tolerance
    from {{ ref('contrasts') }} as contrasts
    inner join {{ source('inference', 'contrasts') }} as inference
        using ({{ comparison }}, group_id, contrast, category, reference)
    left join balanced using ({{ comparison }})
    where contrast in ('{{ of_cells | join("', '") }}') or balanced.study_id is not null
    union all
    select
        {{ comparison }},
        '' as group_id,
        disparities.metric as name,
        '' as category,
        '' as reference,
        statistic,
        parameters,
        disparities.value,
        disparities.value_cells,
        greatest(1e-9, 1e-13 * profiles.lost) as tolerance
    from {{ ref('disparities') }} as disparities
    inner join profiles using ({{ comparison }}, statistic, parameters)
)

select *
from every_value
where
    value_cells is not null
    and (value is null or abs(value - value_cells) > tolerance * greatest(abs(value_cells), 1))

with

{% set columns -%}
    study_id, slice_id, system_id, measure_id, calibration, grouping_id, category, group_id, group_position,
    comparison_position, n_responses, n_root_prompts, total
{%- endset %}
group_statistics as (
    select * from {{ ref('int_group_statistics') }} where kind = 'categorical'
),

pooled_statistics as (
    select * from {{ ref('int_pooled_statistics') }} where kind = 'categorical'
),

statistics as (
    select {{ columns }}, false as is_pooled from group_statistics
    union all
    select {{ columns }}, true as is_pooled from pooled_statistics
),

shares as (
    select
        study_id,
        slice_id,
        system_id,
        measure_id,
        calibration,
        grouping_id,
        group_id,
        group_position,
        comparison_position,
        is_pooled,
        n_responses,
        n_root_prompts,
        total / nullif(n_responses, 0) as share,
        sum(total) over label / nullif(sum(n_responses) over label, 0) as share_of_all,
        avg(total / nullif(n_responses, 0)) over label as share_of_groups,
        cast(n_responses as double) / nullif(sum(n_responses) over label, 0) as weight
    from statistics
    window label as (partition by comparison_position)
)

select
    study_id,
    slice_id,
    system_id,
    measure_id,
    calibration,
    grouping_id,
    group_id,
    group_position,
    is_pooled,
    n_responses,
    n_root_prompts,
    min(comparison_position) as comparison_position,
    count(case when share_of_all > 0 then 1 end) as n_labels,
    sum(abs(share - share_of_all)) / 2 as distance,
    sum(case when share_of_all > 0 then power(share - share_of_all, 2) / share_of_all end) * weight as phi_squared,
    -- 0 ln 0 is 0
    sum(
        case
            when share_of_all > 0
            then
                case when share > 0 then share * ln(2 * share / (share + share_of_all)) else 0 end
                + share_of_all * ln(2 * share_of_all / (share + share_of_all))
        end
    ) / 2 as jsd,
    sum(case when share > 0 then share * ln(share / share_of_groups) end) as kl_from_groups
from shares
group by
    study_id,
    slice_id,
    system_id,
    measure_id,
    calibration,
    grouping_id,
    group_id,
    group_position,
    is_pooled,
    n_responses,
    n_root_prompts,
    weight

{% set place = 'study_id, slice_id, generation_id, measure_id' %}
with

disparities as (
    select * from {{ ref('disparities') }} where calibration = 'raw' and metric in ('idi', 'fdi')
),

generations as (
    select study_id, generation_id from {{ source('raw', 'generations') }} where not is_baseline
),

parts as (
    select * from {{ ref('int_grouping_parts') }}
),

of_parts as (
    select
        disparities.study_id,
        disparities.slice_id,
        disparities.generation_id,
        disparities.measure_id,
        parts.grouping_id,
        max(disparities.value) as fdi_of_parts,
        count(case when parts.n_factors_of_part = 1 then disparities.value end) = max(parts.n_factors) as has_every_factor
    from disparities
    inner join parts on disparities.study_id = parts.study_id and disparities.grouping_id = parts.part_id
    where disparities.metric = 'fdi'
    group by
        disparities.study_id,
        disparities.slice_id,
        disparities.generation_id,
        disparities.measure_id,
        parts.grouping_id
),

whole as (
    select disparities.*
    from disparities
    inner join generations using (study_id, generation_id)
    where metric = 'idi'
),

reasoned as (
    select
        {{ place }},
        grouping_id,
        whole.value - of_parts.fdi_of_parts as excess,
        whole.null_q95,
        whole.verdict,
        case
            when whole.value is null then whole.reason
            when whole.null_q95 is null then whole.inference_reason
            when not coalesce(of_parts.has_every_factor, false) then 'no_marginal'
        end as reason
    from whole
    left join of_parts using ({{ place }}, grouping_id)
)

select
    {{ place }},
    grouping_id,
    case when reason is null then excess end as value,
    null_q95,
    verdict,
    case when reason is not null then 'not_evaluated' when excess > null_q95 then 'raised' else 'not_raised' end as status,
    reason
from reasoned

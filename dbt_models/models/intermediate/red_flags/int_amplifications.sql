{% set place = 'study_id, slice_id, system_id, measure_id' %}
with

disparities as (
    select * from {{ ref('disparities') }} where calibration = 'raw' and metric in ('idi', 'fdi')
),

inference as (
    select * from {{ source('inference', 'amplifications') }} where calibration = 'raw'
),

systems as (
    select study_id, system_id from {{ source('raw', 'systems') }} where not is_baseline
),

hypotheses as (
    select * from {{ ref('int_hypotheses') }} where calibration = 'raw' and statistic = 'share' and parameters = ''
),

factor_counts as (
    select study_id, grouping_id, count(*) as n_factors
    from {{ source('raw', 'groupings') }}
    group by study_id, grouping_id
),

single_factors as (
    select study_id, grouping_id, count(*) as n_single
    from {{ ref('int_grouping_parts') }}
    where n_factors_of_part = 1
    group by study_id, grouping_id
),

-- of the grouping that joins all factors by the name of its index, of another crossing by FDI
whole as (
    select
        {{ place }},
        grouping_id,
        max(metric) as metric,
        max(value) as value,
        max(reason) as reason,
        coalesce(max(case when metric = 'idi' then verdict end), max(verdict)) as verdict
    from disparities
    inner join systems using (study_id, system_id)
    inner join factor_counts using (study_id, grouping_id)
    where n_factors > 1
    group by {{ place }}, grouping_id
),

reasoned as (
    select
        {{ place }},
        grouping_id,
        whole.metric,
        whole.verdict,
        inference.value_cells as excess,
        inference.null_q95,
        coalesce(hypotheses.is_significant, false) as is_significant,
        case
            when whole.value is null then whole.reason
            when coalesce(single_factors.n_single, 0) < factor_counts.n_factors then 'no_marginal'
            when inference.null_q95 is null then inference.inference_reason
        end as reason
    from whole
    inner join factor_counts using (study_id, grouping_id)
    left join single_factors using (study_id, grouping_id)
    left join inference using ({{ place }}, grouping_id)
    left join hypotheses using ({{ place }}, grouping_id)
)

select
    {{ place }},
    grouping_id,
    metric,
    case when reason is null then excess end as value,
    case when reason is null then null_q95 end as null_q95,
    verdict,
    case
        when reason is not null then 'not_evaluated'
        when excess > null_q95 and is_significant then 'raised'
        else 'not_raised'
    end as status,
    reason
from reasoned

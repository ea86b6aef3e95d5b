{% set hypothesis = 'study_id, slice_id, system_id, measure_id, grouping_id, statistic, parameters' %}
{% set numbers = "value, null_q95, band, coalesce(reason, inference_reason, 'no_values') as reason" %}
with

disparities as (
    select * from {{ ref('disparities') }} where calibration = 'raw' and not {{ is_of_controls() }}
),

contrasts as (
    select * from {{ ref('contrasts') }} where calibration = 'raw' and not {{ is_of_controls() }}
),

banded as (
    select metric from {{ ref('bands') }} where is_reported and source like 'FAIR-SEA%'
),

systems as (
    select study_id, system_id from {{ source('raw', 'systems') }} where not is_baseline
),

findings as (
    select {{ hypothesis }}, verdict from {{ ref('int_findings') }} where calibration = 'raw'
),

standing as (
    select {{ hypothesis }}, group_id
    from {{ ref('int_hypothesis_groups') }}
    where calibration = 'raw' and differs_on_its_own
    group by {{ hypothesis }}, group_id
),

intersections as (
    select study_id, slice_id, system_id, measure_id, grouping_id, true as has_idi
    from disparities
    where metric = 'idi'
),

numbers as (
    select {{ hypothesis }}, metric, '' as group_id, '' as reference, verdict, {{ numbers }} from disparities
    union all
    select {{ hypothesis }}, contrast as metric, group_id, reference, findings.verdict, {{ numbers }}
    from contrasts
    left join findings using ({{ hypothesis }})
    where contrast in ('dbi', 'fdi_group')
)

select
    {{ hypothesis }},
    metric,
    group_id,
    numbers.reference,
    numbers.value,
    numbers.null_q95,
    numbers.band,
    numbers.verdict,
    case
        when numbers.value is null then 'not_evaluated'
        when numbers.band <> 'red' then 'not_raised'
        when group_id = '' and {{ is_shown('numbers.verdict') }} then 'raised'
        when standing.group_id is not null then 'raised'
        else 'band_only'
    end as status,
    case when numbers.value is null then numbers.reason end as reason
from numbers
inner join banded using (metric)
inner join systems using (study_id, system_id)
left join standing using ({{ hypothesis }}, group_id)
left join intersections using (study_id, slice_id, system_id, measure_id, grouping_id)
where not (metric in ('fdi', 'fdi_group') and coalesce(intersections.has_idi, false))

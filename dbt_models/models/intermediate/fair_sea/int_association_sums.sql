{{ config(materialized='view') }}
{% set keys = 'study_id, slice_id, system_id, measure_id, kind, grouping_id, category, group_id' %}
with

association_values as (
    select * from {{ ref('int_association_values') }}
),

medians as (
    select {{ keys }}, median(x) as group_median
    from association_values
    where kind = 'continuous'
    group by {{ keys }}
)

select
    {{ keys }},
    count(*) as n_responses,
    avg(x) as mean,
    case when count(*) > 1 then var_samp(x) * (count(*) - 1) else 0 end as squares,
    avg(abs(x - group_median)) as distance_mean,
    case when count(*) > 1 then var_samp(abs(x - group_median)) * (count(*) - 1) else 0 end as distance_squares
from association_values
left join medians using ({{ keys }})
group by {{ keys }}

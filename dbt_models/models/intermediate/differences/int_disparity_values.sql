{{ config(materialized='view') }}
with

disparities as (
    {{ union_of_metrics('disparities') }}
),

metrics as (
    select * from {{ ref('metrics') }} where of = 'disparities'
)

select
    disparities.*,
    coalesce(metrics.is_tested, false) and {{ is_tested_statistic('disparities.parameters') }} as is_tested
from disparities
left join metrics on disparities.metric = metrics.name

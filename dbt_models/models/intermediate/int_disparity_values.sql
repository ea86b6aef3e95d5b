-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, statistic, parameters, metric):
-- every disparity of models/metrics, and whether a test is prescribed for it (inference.md 1): none for those of the
-- study's own statistics and of statistics that are normalised afterwards.
{{ config(materialized='view') }}
-- depends_on: {{ ref('int_statistic_profiles') }} {{ ref('int_label_profiles') }}
-- depends_on: {{ ref('int_truth_profiles') }}
-- depends_on: {{ ref('int_custom_disparities') }} {{ source('raw', 'custom_disparities') }}
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

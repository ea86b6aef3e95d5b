-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, statistic, parameters, group_id,
-- contrast, category, reference): every contrast of models/metrics, and whether a test is prescribed for it. value is over cells where SQL
-- has that number, else value_responses.
-- depends_on: {{ ref('int_group_statistics') }} {{ ref('int_group_differences') }} {{ ref('int_references') }}
-- depends_on: {{ ref('int_response_differences') }} {{ ref('int_designs') }} {{ ref('int_label_distances') }}
-- depends_on: {{ ref('int_statistic_values') }} {{ ref('int_custom_statistics') }}
-- depends_on: {{ ref('risk_difference') }} {{ ref('int_truth_divergences') }} {{ ref('int_truth_answers') }}
-- depends_on: {{ source('raw', 'studies') }} {{ source('raw', 'contrasts') }} {{ source('raw', 'statistics') }}
with

contrasts as (
    {{ union_of_metrics('contrasts') }}
),

metrics as (
    select * from {{ ref('metrics') }} where of = 'contrasts'
)

select contrasts.*, coalesce(metrics.is_tested, false) as is_tested
from contrasts
left join metrics on contrasts.contrast = metrics.name

{{ config(materialized='view') }}
{% set comparison = 'study_id, slice_id, system_id, measure_id, calibration, grouping_id, category' %}
{% set cell = 'group_position, block_position, root_position' %}
with

cells as (
    select * from {{ ref('int_cell_sums') }}
),

comparisons as (
    select * from {{ ref('int_comparisons') }}
),

standards as (
    select * from {{ ref('int_selection_standards') }}
)

select
    {{ comparison }},
    'mean' as statistic,
    '' as parameters,
    {{ cell }},
    cell_mean,
    n_responses,
    n_prompts,
    comparison_position
from cells
inner join comparisons using (comparison_position)
where selection_position = 0
union all
select
    {{ comparison }},
    statistic,
    parameters,
    {{ cell }},
    selected_share as cell_mean,
    n_selectable as n_responses,
    n_prompts,
    comparison_position
from cells
inner join comparisons using (comparison_position)
inner join standards using (study_id, slice_id, outcome_position, selection_position)
where n_selectable > 0 and normalise <> 'after'

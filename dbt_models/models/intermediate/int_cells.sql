-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, category, group_position,
-- block_position): the mean of a cell, all its prompts equal.
{{ config(materialized='view') }}
with

cells as (
    select * from {{ ref('int_cell_sums') }}
),

comparisons as (
    select * from {{ ref('int_comparisons') }}
)

select
    comparisons.study_id,
    comparisons.slice_id,
    comparisons.generation_id,
    comparisons.measure_id,
    comparisons.calibration,
    comparisons.grouping_id,
    comparisons.category,
    cells.group_position,
    cells.block_position,
    cells.root_position,
    cells.cell_mean,
    cells.n_responses,
    cells.n_prompts,
    comparison_position
from cells
inner join comparisons using (comparison_position)
where cells.selection_position = 0

-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, category, statistic,
-- parameters, group_position, block_position): the share of the responses of a cell that a selection rate selects,
-- or of its pairs that precision does; a prompt counts once. Continuous measures only: the selection rate of a binary
-- measure is its mean. A rate that is normalised afterwards is no share of a cell.
{{ config(materialized='view') }}
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
    study_id,
    slice_id,
    comparisons.generation_id,
    comparisons.measure_id,
    comparisons.calibration,
    comparisons.grouping_id,
    comparisons.category,
    standards.statistic,
    standards.parameters,
    cells.group_position,
    cells.block_position,
    cells.root_position,
    cells.selected_share as cell_mean,
    cells.n_selectable as n_responses,
    cells.n_prompts,
    comparison_position
from cells
inner join comparisons using (comparison_position)
inner join standards using (study_id, slice_id, outcome_position, selection_position)
where cells.n_selectable > 0 and standards.normalise <> 'after'

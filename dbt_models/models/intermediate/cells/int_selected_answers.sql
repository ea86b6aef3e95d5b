{{ config(materialized='view') }}
with

{{ judged_answers() }}

select
    comparisons.study_id,
    comparisons.slice_id,
    comparisons.system_id,
    comparisons.measure_id,
    comparisons.calibration,
    comparisons.grouping_id,
    comparisons.category,
    standards.statistic,
    standards.parameters,
    judged.prompt_position,
    judged.replicate,
    judged.is_selected
from judged
inner join comparisons using (comparison_position)
inner join standards using (study_id, slice_id, outcome_position, selection_position)
where judged.is_selected is not null and standards.normalise <> 'after'

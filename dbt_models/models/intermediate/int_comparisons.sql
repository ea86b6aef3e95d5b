-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, category): the groups of one
-- grouping, compared on one outcome in one slice. A measure is compared only in the slices that its study lists, and
-- never between levels that have numbers of their own (measures.segment_factor): distances from the clusters of one
-- concept and from those of another say nothing of either.
with

outcomes as (
    select * from {{ ref('int_outcomes') }}
),

prompt_groups as (
    select * from {{ ref('int_prompt_groups') }}
),

measure_slices as (
    select * from {{ ref('stg_measure_slices') }}
),

measures as (
    select * from {{ ref('stg_measures') }}
),

groupings as (
    select * from {{ ref('stg_groupings') }}
),

segmented as (
    select measures.study_id, measures.measure_id, groupings.grouping_id
    from measures
    inner join groupings
        on measures.study_id = groupings.study_id
        and measures.segment_factor = groupings.factor
),

layouts as (
    select study_id, slice_id, grouping_id, layout_position
    from prompt_groups
    group by study_id, slice_id, grouping_id, layout_position
)

select
    outcomes.study_id,
    layouts.slice_id,
    outcomes.generation_id,
    outcomes.measure_id,
    outcomes.calibration,
    layouts.grouping_id,
    outcomes.category,
    outcomes.kind,
    outcomes.outcome_position,
    layouts.layout_position,
    cast(row_number() over (order by layouts.layout_position asc, outcomes.outcome_position asc) - 1 as integer)
        as comparison_position
from outcomes
inner join measure_slices
    on outcomes.study_id = measure_slices.study_id
    and outcomes.measure_id = measure_slices.measure_id
inner join layouts
    on measure_slices.study_id = layouts.study_id
    and measure_slices.slice_id = layouts.slice_id
left join segmented
    on outcomes.study_id = segmented.study_id
    and outcomes.measure_id = segmented.measure_id
    and layouts.grouping_id = segmented.grouping_id
where segmented.grouping_id is null

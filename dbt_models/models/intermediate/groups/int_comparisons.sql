with

outcomes as (
    select * from {{ ref('int_outcomes') }}
),

prompt_groups as (
    select * from {{ ref('int_prompt_groups') }}
),

measure_slices as (
    select * from {{ source('raw', 'measure_slices') }}
),

measures as (
    select * from {{ source('raw', 'measures') }}
),

prompt_factors as (
    select * from {{ ref('int_answer_levels') }}
),

segment_factors as (
    select distinct study_id, segment_factor from measures where segment_factor <> ''
),

-- level is NULL where a group has prompts without one
segment_levels as (
    select distinct
        prompt_groups.study_id,
        prompt_groups.slice_id,
        prompt_groups.grouping_id,
        prompt_groups.group_id,
        segment_factors.segment_factor,
        prompt_factors.level
    from prompt_groups
    inner join segment_factors using (study_id)
    left join prompt_factors
        on prompt_groups.study_id = prompt_factors.study_id
        and prompt_groups.prompt_id = prompt_factors.prompt_id
        and segment_factors.segment_factor = prompt_factors.factor
),

-- some group lacks some level that others have
segmented as (
    select study_id, slice_id, grouping_id, segment_factor
    from segment_levels
    group by study_id, slice_id, grouping_id, segment_factor
    having count(level) < count(distinct group_id) * count(distinct level)
),

of_models as (
    select study_id, slice_id, grouping_id from {{ ref('int_settings') }} group by study_id, slice_id, grouping_id
),

layouts as (
    select study_id, slice_id, grouping_id, layout_position, of_models.study_id is not null as is_of_models
    from prompt_groups
    left join of_models using (study_id, slice_id, grouping_id)
    group by study_id, slice_id, grouping_id, layout_position, of_models.study_id
)

select
    outcomes.study_id,
    layouts.slice_id,
    outcomes.system_id,
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
inner join measure_slices using (study_id, measure_id)
inner join layouts using (study_id, slice_id)
inner join measures using (study_id, measure_id)
left join segmented using (study_id, slice_id, grouping_id, segment_factor)
where segmented.study_id is null and (outcomes.system_id = 'all') = layouts.is_of_models

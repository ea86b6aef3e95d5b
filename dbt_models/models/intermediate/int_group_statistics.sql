-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, category, group_id): how
-- many values and root prompts one group has, and their mean and variance. A group without a value has a row with
-- n_responses 0.
with

grouped_values as (
    select * from {{ ref('int_grouped_values') }} where scale = ''
),

measurements as (
    select * from {{ source('raw', 'measurements') }}
),

outcomes as (
    select * from {{ ref('int_outcomes') }}
),

prompt_groups as (
    select * from {{ ref('int_prompt_groups') }}
),

comparisons as (
    select * from {{ ref('int_comparisons') }}
),

slice_groups as (
    select * from {{ ref('int_groups') }}
),

cells as (
    select * from {{ ref('int_cell_sums') }}
),

one_scan as (
    select
        comparison_position,
        group_position,
        count(*) as n_responses,
        count(baseline) as n_pairs,
        sum(x) as total,
        avg(x) as mean,
        var_samp(x) as variance
    from grouped_values
    group by comparison_position, group_position
),

without_value as (
    select measurements.study_id, measurements.prompt_id, outcomes.outcome_position
    from measurements
    inner join outcomes
        on measurements.study_id = outcomes.study_id
        and measurements.generation_id = outcomes.generation_id
        and measurements.measure_id = outcomes.measure_id
    where {{ outcome_value() }} is null
),

missing as (
    select
        without_value.outcome_position,
        prompt_groups.layout_position,
        prompt_groups.group_position,
        count(*) as n_missing
    from without_value
    inner join prompt_groups
        on without_value.study_id = prompt_groups.study_id
        and without_value.prompt_id = prompt_groups.prompt_id
    group by without_value.outcome_position, prompt_groups.layout_position, prompt_groups.group_position
),

roots as (
    select
        comparison_position,
        group_position,
        count(distinct root_position) as n_root_prompts,
        count(distinct case when n_pairs > 0 then root_position end) as n_root_prompts_paired
    from cells
    where selection_position = 0
    group by comparison_position, group_position
)

select
    comparisons.study_id,
    comparisons.slice_id,
    comparisons.generation_id,
    comparisons.measure_id,
    comparisons.calibration,
    comparisons.grouping_id,
    comparisons.category,
    comparisons.kind,
    comparisons.comparison_position,
    slice_groups.group_id,
    slice_groups.group_position,
    coalesce(one_scan.n_responses, 0) as n_responses,
    coalesce(one_scan.n_pairs, 0) as n_pairs,
    coalesce(missing.n_missing, 0) as n_missing,
    coalesce(roots.n_root_prompts, 0) as n_root_prompts,
    coalesce(roots.n_root_prompts_paired, 0) as n_root_prompts_paired,
    one_scan.total,
    one_scan.mean,
    one_scan.variance
from comparisons
inner join slice_groups
    on comparisons.study_id = slice_groups.study_id
    and comparisons.slice_id = slice_groups.slice_id
    and comparisons.grouping_id = slice_groups.grouping_id
left join one_scan
    on comparisons.comparison_position = one_scan.comparison_position
    and slice_groups.group_position = one_scan.group_position
left join missing
    on comparisons.outcome_position = missing.outcome_position
    and comparisons.layout_position = missing.layout_position
    and slice_groups.group_position = missing.group_position
left join roots
    on comparisons.comparison_position = roots.comparison_position
    and slice_groups.group_position = roots.group_position

-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, category, group_id): every
-- statistic of one group side by side, in one scan. A group without a value has a row with n_responses 0.
with

outcome_values as (
    select * from {{ ref('int_outcome_values') }}
),

measurements as (
    select * from {{ ref('stg_measurements') }}
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

shapes as (
    select * from {{ ref('int_group_shapes') }}
),

divergences as (
    select * from {{ ref('int_group_divergences') }}
),

one_scan as (
    select
        outcome_values.outcome_position,
        prompt_groups.layout_position,
        prompt_groups.group_position,
        count(*) as n_responses,
        count(baseline) as n_pairs,
        sum(x) as total,
        {% for name, aggregate in group_statistics().items() %}
        {{ aggregate }} as {{ name }}{{ ',' if not loop.last }}
        {% endfor %}
    from outcome_values
    inner join prompt_groups
        on outcome_values.study_id = prompt_groups.study_id
        and outcome_values.prompt_id = prompt_groups.prompt_id
    group by outcome_values.outcome_position, prompt_groups.layout_position, prompt_groups.group_position
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
    {% for name in group_statistics() %}
    one_scan.{{ name }},
    {% endfor %}
    shapes.skewness,
    shapes.kurtosis,
    divergences.kl_divergence
from comparisons
inner join slice_groups
    on comparisons.study_id = slice_groups.study_id
    and comparisons.slice_id = slice_groups.slice_id
    and comparisons.grouping_id = slice_groups.grouping_id
left join one_scan
    on comparisons.outcome_position = one_scan.outcome_position
    and comparisons.layout_position = one_scan.layout_position
    and slice_groups.group_position = one_scan.group_position
left join shapes
    on comparisons.outcome_position = shapes.outcome_position
    and comparisons.layout_position = shapes.layout_position
    and slice_groups.group_position = shapes.group_position
left join divergences
    on comparisons.outcome_position = divergences.outcome_position
    and comparisons.layout_position = divergences.layout_position
    and slice_groups.group_position = divergences.group_position
left join missing
    on comparisons.outcome_position = missing.outcome_position
    and comparisons.layout_position = missing.layout_position
    and slice_groups.group_position = missing.group_position
left join roots
    on comparisons.comparison_position = roots.comparison_position
    and slice_groups.group_position = roots.group_position

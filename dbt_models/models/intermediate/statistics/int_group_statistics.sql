with

grouped_values as (
    select * from {{ ref('int_grouped_values') }}
),

comparisons as (
    select * from {{ ref('int_comparisons') }}
),

slice_groups as (
    select study_id, slice_id, grouping_id, group_id, group_position
    from {{ ref('int_prompt_groups') }}
    group by study_id, slice_id, grouping_id, group_id, group_position
),

one_scan as (
    select
        comparison_position,
        group_position,
        count(x) as n_responses,
        count(baseline) as n_pairs,
        count(*) - count(x) as n_missing,
        count(case when is_alone_of_root then x end) as n_roots_of_one,
        count(case when is_alone_of_root then baseline end) as n_roots_of_one_pair,
        sum(x) as total,
        avg(x) as mean,
        var_samp(x) as variance
    from grouped_values
    group by comparison_position, group_position
),

-- a root prompt of one response is counted with the responses: of most studies these are all
roots as (
    select comparison_position, group_position, root_position, count(baseline) as n_pairs
    from grouped_values
    where x is not null and not is_alone_of_root
    group by comparison_position, group_position, root_position
),

root_counts as (
    select
        comparison_position,
        group_position,
        count(*) as n_root_prompts,
        count(case when n_pairs > 0 then 1 end) as n_root_prompts_paired
    from roots
    group by comparison_position, group_position
)

select
    study_id,
    slice_id,
    comparisons.system_id,
    comparisons.measure_id,
    comparisons.calibration,
    grouping_id,
    comparisons.category,
    comparisons.kind,
    comparison_position,
    slice_groups.group_id,
    group_position,
    coalesce(one_scan.n_responses, 0) as n_responses,
    coalesce(one_scan.n_pairs, 0) as n_pairs,
    coalesce(one_scan.n_missing, 0) as n_missing,
    coalesce(one_scan.n_roots_of_one, 0) + coalesce(root_counts.n_root_prompts, 0) as n_root_prompts,
    coalesce(one_scan.n_roots_of_one_pair, 0) + coalesce(root_counts.n_root_prompts_paired, 0)
        as n_root_prompts_paired,
    one_scan.total,
    one_scan.mean,
    one_scan.variance
from comparisons
inner join slice_groups using (study_id, slice_id, grouping_id)
left join one_scan using (comparison_position, group_position)
left join root_counts using (comparison_position, group_position)

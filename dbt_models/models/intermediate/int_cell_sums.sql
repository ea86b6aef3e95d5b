-- One row per (comparison_position, selection_position, group_position, block_position): the responses of a cell, and
-- how many of them a selection rate selects. selection_position is 0 and n_selected NULL where nothing is selected;
-- every cell has its row 0. What engines reduce responses to, and inference starts from (architecture.md 8).
with

outcome_values as (
    select * from {{ ref('int_outcome_values') }}
),

prompt_groups as (
    select * from {{ ref('int_prompt_groups') }}
),

comparisons as (
    select * from {{ ref('int_comparisons') }}
),

standards as (
    select * from {{ ref('int_selection_standards') }}
),

selecting as (
    select
        comparisons.comparison_position,
        comparisons.outcome_position,
        comparisons.layout_position,
        coalesce(standards.selection_position, 0) as selection_position,
        standards.standard,
        standards.method
    from comparisons
    left join standards
        on comparisons.study_id = standards.study_id
        and comparisons.slice_id = standards.slice_id
        and comparisons.outcome_position = standards.outcome_position
),

prompt_sums as (
    select
        selecting.comparison_position,
        selecting.selection_position,
        prompt_groups.group_position,
        prompt_groups.block_position,
        prompt_groups.root_position,
        prompt_groups.prompt_position,
        sum(outcome_values.x) as total,
        sum(cast({{ is_selected('outcome_values.x', 'selecting.standard', 'selecting.method') }} as integer))
            as n_selected,
        count(*) as n_responses
    from outcome_values
    inner join prompt_groups
        on outcome_values.study_id = prompt_groups.study_id
        and outcome_values.prompt_id = prompt_groups.prompt_id
    inner join selecting
        on outcome_values.outcome_position = selecting.outcome_position
        and prompt_groups.layout_position = selecting.layout_position
    group by
        selecting.comparison_position,
        selecting.selection_position,
        prompt_groups.group_position,
        prompt_groups.block_position,
        prompt_groups.root_position,
        prompt_groups.prompt_position
)

select
    comparison_position,
    selection_position,
    group_position,
    block_position,
    root_position,
    sum(total) as total,
    cast(sum(n_selected) as bigint) as n_selected,
    cast(sum(n_responses) as bigint) as n_responses,
    count(*) as n_prompts
from prompt_sums
group by comparison_position, selection_position, group_position, block_position, root_position

-- One row per (comparison_position, selection_position, group_position, block_position): the responses of a cell, and
-- how many of them a selection rate, or the precision, selects out of n_selectable (for precision the pairs).
-- selection_position is 0 and n_selected NULL where nothing is selected; every cell has its row 0. What engines reduce
-- responses to, and inference starts from (architecture.md 8).
-- cell_mean and selected_share average the responses of a prompt first: prompts count alike (inference.md 1).
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
        standards.normalise,
        standards.method,
        standards.bound_low,
        standards.bound_high,
        standards.centre,
        standards.spread
    from comparisons
    left join standards
        on comparisons.study_id = standards.study_id
        and comparisons.slice_id = standards.slice_id
        and comparisons.outcome_position = standards.outcome_position
),

{% set x, baseline = 'outcome_values.x', 'outcome_values.baseline' %}
{% set centre, spread = 'selecting.centre', 'selecting.spread' %}
judged as (
    select
        selecting.comparison_position,
        selecting.selection_position,
        prompt_groups.group_position,
        prompt_groups.block_position,
        prompt_groups.root_position,
        prompt_groups.stratum_position,
        prompt_groups.prompt_position,
        outcome_values.x,
        outcome_values.baseline,
        case
            when selecting.normalise = 'before'
            then
                {{ is_selected(
                    normalised(x, centre, spread), normalised(baseline, centre, spread), 'selecting'
                ) }}
            else {{ is_selected(x, baseline, 'selecting') }}
        end as is_selected
    from outcome_values
    inner join prompt_groups
        on outcome_values.study_id = prompt_groups.study_id
        and outcome_values.prompt_id = prompt_groups.prompt_id
    inner join selecting
        on outcome_values.outcome_position = selecting.outcome_position
        and prompt_groups.layout_position = selecting.layout_position
),

prompt_sums as (
    {% if has_replicates() %}
    -- a prompt has one group, block, root prompt and stratum in a comparison
    select
        comparison_position,
        selection_position,
        prompt_position,
        min(group_position) as group_position,
        min(block_position) as block_position,
        min(root_position) as root_position,
        min(stratum_position) as stratum_position,
        sum(x) as total,
        sum(cast(is_selected as integer)) as n_selected,
        count(is_selected) as n_selectable,
        count(baseline) as n_pairs,
        count(*) as n_responses
    from judged
    group by comparison_position, selection_position, prompt_position
    {% else %}
    select
        *,
        x as total,
        cast(is_selected as integer) as n_selected,
        cast(is_selected is not null as integer) as n_selectable,
        cast(baseline is not null as integer) as n_pairs,
        1 as n_responses
    from judged
    {% endif %}
)

select
    comparison_position,
    selection_position,
    group_position,
    block_position,
    min(root_position) as root_position,
    min(stratum_position) as stratum_position,
    sum(total) as total,
    cast(sum(n_selected) as bigint) as n_selected,
    cast(sum(n_selectable) as bigint) as n_selectable,
    cast(sum(n_pairs) as bigint) as n_pairs,
    cast(sum(n_responses) as bigint) as n_responses,
    count(*) as n_prompts,
    avg(total / n_responses) as cell_mean,
    avg(case when n_selectable > 0 then cast(n_selected as double) / n_selectable end) as selected_share,
    min(n_responses) as min_responses,
    max(n_responses) as max_responses
from prompt_sums
group by comparison_position, selection_position, group_position, block_position

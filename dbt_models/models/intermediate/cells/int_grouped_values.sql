{{ config(materialized='view') }}
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

places as (
    select
        prompt_groups.layout_position,
        prompt_groups.prompt_position,
        prompt_groups.group_position,
        prompt_groups.block_position,
        prompt_groups.root_position,
        prompt_groups.stratum_position,
        count(*) over (
            partition by prompt_groups.layout_position, prompt_groups.group_position, prompt_groups.block_position
        ) as n_prompts_of_cell,
        count(*) over (
            partition by prompt_groups.layout_position, prompt_groups.group_position, prompt_groups.root_position
        ) as n_prompts_of_root
    from prompt_groups
)

select
    comparisons.comparison_position,
    places.group_position,
    places.block_position,
    places.root_position,
    places.stratum_position,
    prompt_position,
    outcome_values.replicate,
    places.n_prompts_of_cell = 1 and not outcome_values.is_replicated as is_alone,
    places.n_prompts_of_root = 1 and not outcome_values.is_replicated as is_alone_of_root,
    outcome_values.x,
    outcome_values.baseline
from outcome_values
inner join places using (prompt_position)
inner join comparisons using (outcome_position, layout_position)

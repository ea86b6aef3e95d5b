-- One row per (comparison_position, prompt_position, replicate): every response of a comparison with its group, block and
-- root prompt; x is NULL where it has no value.
{{ config(materialized='view') }}
with

outcome_values as (
    select * from {{ ref('int_outcome_values') }}
),

prompts as (
    select * from {{ ref('int_prompts') }}
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
        prompts.prompt_position,
        prompt_groups.group_position,
        prompt_groups.block_position,
        prompt_groups.root_position,
        coalesce(prompt_groups.stratum_position, prompt_groups.block_position) as compared_position
    from prompt_groups
    inner join prompts using (study_id, prompt_id)
)

select
    comparisons.comparison_position,
    places.group_position,
    places.block_position,
    places.root_position,
    places.compared_position,
    prompt_position,
    outcome_values.replicate,
    outcome_values.is_replicated,
    outcome_values.x,
    outcome_values.baseline
from outcome_values
inner join places using (prompt_position)
inner join comparisons using (outcome_position, layout_position)

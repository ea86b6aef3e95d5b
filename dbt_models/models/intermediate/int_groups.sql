-- One row per (study_id, slice_id, grouping_id, group_id): the groups among the prompts of a slice, in declared order.
with

prompt_groups as (
    select * from {{ ref('int_prompt_groups') }}
)

select study_id, slice_id, grouping_id, group_id, group_position
from prompt_groups
group by study_id, slice_id, grouping_id, group_id, group_position

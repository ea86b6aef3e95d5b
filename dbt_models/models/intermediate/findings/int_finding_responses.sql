{% set keys -%}
    {{ hypothesis_keys() | join(', ') }}, group_id, category, reference
{%- endset %}
{% set most = 10 -%}
with

blocks as (
    select * from {{ ref('int_finding_blocks') }}
),

prompts as (
    select layout_position, block_position, group_id as member_id, prompt_id, prompt_position
    from {{ ref('int_prompt_groups') }}
),

values_read as (
    select * from {{ ref('int_values') }}
),

selected as (
    select * from {{ ref('int_selected_answers') }}
),

of_roots as (
    select *, avg(difference_of_block) over (partition by {{ keys }}, root_prompt_id) as difference
    from blocks
),

placed as (
    select
        *,
        side * difference as size,
        round(side * difference_of_block, 9) as size_of_block
    from of_roots
),

ranked as (
    select *, dense_rank() over (partition by {{ keys }} order by round(size, 9) desc nulls last, root_prompt_id asc) as place
    from placed
    where round(size, 9) > 0
),

members as (
    select *
    from ranked
    inner join prompts using (layout_position, block_position)
    where place <= {{ most }}
),

readings as (
    select members.*, values_read.replicate, values_read.x
    from members
    inner join values_read using (study_id, system_id, measure_id, calibration, category, prompt_id)
    where members.statistic_of_cells = 'mean'
    union all
    select members.*, selected.replicate, cast(cast(selected.is_selected as integer) as double) as x
    from members
    inner join selected
        on members.study_id = selected.study_id
        and members.slice_id = selected.slice_id
        and members.system_id = selected.system_id
        and members.measure_id = selected.measure_id
        and members.calibration = selected.calibration
        and members.grouping_id = selected.grouping_id
        and members.category = selected.category
        and members.statistic_of_cells = selected.statistic
        and members.parameters = selected.parameters
        and members.prompt_position = selected.prompt_position
)

select
    {{ keys }},
    place,
    root_prompt_id,
    block_position,
    difference,
    size_of_block,
    side,
    value,
    is_event,
    member_id,
    prompt_id,
    replicate,
    x
from readings

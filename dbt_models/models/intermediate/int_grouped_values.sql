-- One row per (comparison_position, prompt_position, replicate): every response of a comparison with its group, block
-- and root prompt; x is NULL where it has no value. is_alone: no other response can be in its cell; is_alone_of_root:
-- nor any of the group of its root prompt.
{{ config(materialized='view') }}
with

{{ grouped_values() }}

select
    comparison_position,
    group_position,
    block_position,
    root_position,
    stratum_position,
    prompt_position,
    replicate,
    is_alone,
    is_alone_of_root,
    x,
    baseline
from grouped_values

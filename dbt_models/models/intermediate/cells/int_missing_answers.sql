-- where a measure does not apply to a prompt, no answer is missing
{% set not_applicable = ['no_baseline', 'no_factor_level', 'no_option', 'too_few_texts'] %}
{% set cell -%}
    comparisons.study_id,
    comparisons.slice_id,
    comparisons.generation_id,
    comparisons.measure_id,
    comparisons.calibration,
    comparisons.grouping_id,
    comparisons.category,
    prompt_groups.group_position,
    prompt_groups.block_position
{%- endset %}
with

measurements as (
    select * from {{ source('raw', 'measurements') }}
    where value is null and label is null and reason not in ('{{ not_applicable | join("', '") }}')
),

comparisons as (
    select * from {{ ref('int_comparisons') }} where calibration = 'raw'
),

prompt_groups as (
    select * from {{ ref('int_prompt_groups') }}
)

select
    {{ cell }},
    count(*) as n_missing
from measurements
inner join comparisons using (study_id, generation_id, measure_id)
inner join prompt_groups
    on comparisons.layout_position = prompt_groups.layout_position
    and measurements.study_id = prompt_groups.study_id
    and measurements.prompt_id = prompt_groups.prompt_id
group by
    {{ cell }}

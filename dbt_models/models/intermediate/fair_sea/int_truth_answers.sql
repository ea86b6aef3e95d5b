with

measurements as (
    select * from {{ source('raw', 'measurements') }} where label is not null
),

labels as (
    select * from {{ source('raw', 'ground_truth_labels') }}
),

categories as (
    select distinct study_id, measure_id, grouping_id, category, category_position, parameters
    from {{ source('raw', 'ground_truths') }}
),

hypotheses as (
    select distinct study_id, measure_id, grouping_id, parameters from categories
),

-- a measure is held against it where its groups are compared
comparisons as (
    select distinct study_id, slice_id, system_id, measure_id, grouping_id
    from {{ ref('int_comparisons') }}
    where kind = 'categorical'
),

prompt_groups as (
    select * from {{ ref('int_prompt_groups') }}
)

select
    comparisons.study_id,
    comparisons.slice_id,
    comparisons.system_id,
    comparisons.measure_id,
    comparisons.grouping_id,
    prompt_groups.group_id,
    coalesce(labels.category, measurements.label) as category,
    categories.category_position,
    prompt_groups.root_prompt_position,
    prompt_groups.unit_id,
    prompt_groups.prompt_position,
    hypotheses.parameters,
    cast(count(*) as bigint) as n
from comparisons
inner join hypotheses using (study_id, measure_id, grouping_id)
inner join prompt_groups using (study_id, slice_id, grouping_id)
inner join measurements using (study_id, system_id, measure_id, prompt_id)
inner join labels using (study_id, measure_id, label)
left join categories
    on comparisons.study_id = categories.study_id
    and comparisons.measure_id = categories.measure_id
    and comparisons.grouping_id = categories.grouping_id
    and labels.category = categories.category
group by
    comparisons.study_id,
    comparisons.slice_id,
    comparisons.system_id,
    comparisons.measure_id,
    comparisons.grouping_id,
    prompt_groups.group_id,
    coalesce(labels.category, measurements.label),
    categories.category_position,
    prompt_groups.root_prompt_position,
    prompt_groups.unit_id,
    prompt_groups.prompt_position,
    hypotheses.parameters

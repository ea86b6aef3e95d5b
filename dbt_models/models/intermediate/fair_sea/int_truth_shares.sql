{% set comparison = 'study_id, slice_id, system_id, measure_id, grouping_id' %}
with

truths as (
    select * from {{ source('raw', 'ground_truths') }}
),

answers as (
    select * from {{ ref('int_truth_answers') }} where category_position is not null
),

asked as (
    select distinct study_id, slice_id, system_id, measure_id, grouping_id
    from {{ ref('int_truth_answers') }}
),

counts as (
    select {{ comparison }}, category, group_id, sum(n) as n
    from answers
    group by {{ comparison }}, category, group_id
),

counted as (
    select asked.slice_id, asked.system_id, truths.*, cast(coalesce(counts.n, 0) as bigint) as n
    from asked
    inner join truths using (study_id, measure_id, grouping_id)
    left join counts using ({{ comparison }}, category, group_id)
)

select
    {{ comparison }},
    category,
    category_position,
    group_id,
    parameters,
    n,
    cast(sum(n) over of_category as bigint) as n_category,
    cast(sum(n) over of_group as bigint) as n_group,
    cast(sum(n) over of_comparison as bigint) as n_responses,
    n / nullif(cast(sum(n) over of_category as double), 0) as model_share,
    share as truth_share,
    n / nullif(cast(sum(n) over of_group as double), 0) as model_category_share,
    n_persons / nullif(sum(n_persons) over of_group, 0) as truth_category_share,
    n_persons,
    period,
    source,
    licence
from counted
window
    of_category as (partition by {{ comparison }}, category),
    of_group as (partition by {{ comparison }}, group_id),
    of_comparison as (partition by {{ comparison }})

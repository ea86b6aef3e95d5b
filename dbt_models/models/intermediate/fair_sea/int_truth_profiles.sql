{% set comparison = 'study_id, slice_id, system_id, measure_id, grouping_id, parameters' %}
with

divergences as (
    select * from {{ ref('int_truth_divergences') }}
),

answers as (
    select * from {{ ref('int_truth_answers') }} where category_position is not null
),

prompts as (
    select {{ comparison }}, count(distinct root_prompt_position) as n_root_prompts
    from answers
    group by {{ comparison }}
),

sizes as (
    select
        {{ comparison }},
        avg(case when of_what = 'category' then jsd end) as jsd_unweighted,
        sum(case when of_what = 'category' and jsd is not null then n * jsd end)
        / nullif(sum(case when of_what = 'category' and jsd is not null then n end), 0) as jsd_weighted,
        max(case when of_what = 'marginal' then jsd end) as jsd_marginal,
        avg(case when of_what = 'group' then jsd end) as jsd_by_group,
        count(case when of_what = 'group' and n > 0 then 1 end) as n_groups,
        max(case when of_what = 'groups' then n end) as n_responses,
        max(case when of_what = 'group' then jsd end) as jsd_high,
        min(case when of_what = 'group' then jsd end) as jsd_low
    from divergences
    group by {{ comparison }}
),

ends as (
    select
        {{ comparison }},
        min(case when divergences.jsd >= sizes.jsd_high * (1 - 1e-12) then divergences.group_id end) as group_high,
        min(case when divergences.jsd <= sizes.jsd_low * (1 + 1e-12) then divergences.group_id end) as group_low,
        count(case when divergences.jsd >= sizes.jsd_high * (1 - 1e-12) then 1 end) as n_high,
        count(case when divergences.jsd <= sizes.jsd_low * (1 + 1e-12) then 1 end) as n_low
    from divergences
    inner join sizes using ({{ comparison }})
    where divergences.of_what = 'group'
    group by {{ comparison }}
)

select
    sizes.study_id,
    sizes.slice_id,
    sizes.system_id,
    sizes.measure_id,
    'raw' as calibration,
    sizes.grouping_id,
    'ground_truth' as statistic,
    sizes.parameters,
    sizes.n_groups,
    sizes.jsd_unweighted,
    sizes.jsd_weighted,
    sizes.jsd_marginal,
    sizes.jsd_by_group,
    ends.group_high,
    ends.group_low,
    ends.n_high,
    ends.n_low,
    cast(sizes.n_responses as bigint) as n_responses,
    coalesce(prompts.n_root_prompts, 0) as n_root_prompts
from sizes
inner join ends using ({{ comparison }})
left join prompts using ({{ comparison }})

with

divergences as (
    select * from {{ ref('int_truth_divergences') }} where of_what = 'group'
),

answers as (
    select * from {{ ref('int_truth_answers') }} where category_position is not null
),

prompts as (
    select
        study_id,
        slice_id,
        system_id,
        measure_id,
        grouping_id,
        group_id,
        count(distinct root_prompt_position) as n_root_prompts
    from answers
    group by study_id, slice_id, system_id, measure_id, grouping_id, group_id
)

select
    study_id,
    slice_id,
    system_id,
    measure_id,
    'raw' as calibration,
    grouping_id,
    'ground_truth' as statistic,
    divergences.parameters,
    group_id,
    'jsd_truth_group' as contrast,
    '' as category,
    'ground_truth' as reference,
    divergences.jsd as value,
    divergences.jsd as value_responses,
    divergences.n as n_responses,
    coalesce(prompts.n_root_prompts, 0) as n_root_prompts,
    case
        when divergences.jsd is not null then null
        when divergences.n = 0 then 'no_values'
        else 'no_truth_counts'
    end as reason
from divergences
left join prompts using (study_id, slice_id, system_id, measure_id, grouping_id, group_id)

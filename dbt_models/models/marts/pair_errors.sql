with

labels as (
    select * from {{ source('raw', 'pair_labels') }}
),

-- the first root of a root prompt is what its other prompts are held beside
placed as (
    select
        *,
        row_number() over (partition by study_id, root_prompt_id order by is_root desc, prompt_id asc) as place
    from {{ source('raw', 'prompts') }}
    where prompt_text is not null and negative_control is null and study_id in (select study_id from labels)
),

judged as (
    select
        study_id,
        root_prompt_id,
        prompt_id,
        count(is_minimal_pair) as n_labels,
        avg(1 - cast(is_minimal_pair as integer)) as bad_share
    from placed
    left join labels using (study_id, root_prompt_id, prompt_id)
    where place > 1
    group by study_id, root_prompt_id, prompt_id
),

members as (
    select study_id, grouping_id, group_id, prompt_id
    from {{ ref('int_group_members') }}
    where slice_id = 'all'
    union all
    select study_id, 'all' as grouping_id, 'all' as group_id, prompt_id
    from judged
),

-- branches of one root prompt stand and fall together: it is the unit
by_root as (
    select
        study_id,
        grouping_id,
        group_id,
        root_prompt_id,
        count(bad_share) as n_pairs,
        sum(n_labels) as n_labels,
        avg(bad_share) as bad_share
    from judged
    inner join members using (study_id, prompt_id)
    group by study_id, grouping_id, group_id, root_prompt_id
),

by_group as (
    select
        study_id,
        grouping_id,
        group_id,
        cast(sum(n_pairs) as bigint) as n_pairs,
        count(bad_share) as n_root_prompts,
        cast(sum(n_labels) as bigint) as n_labels,
        avg(bad_share) as value
    from by_root
    group by study_id, grouping_id, group_id
)

select
    study_id,
    grouping_id,
    group_id,
    n_pairs,
    n_root_prompts,
    n_labels,
    value,
    {{ wilson('value', 'n_root_prompts', '-') }} as ci_low,
    {{ wilson('value', 'n_root_prompts', '+') }} as ci_high,
    case when value is null then 'no_pair_labelled' end as reason
from by_group

-- grain: study_id, grouping_id, group_id
{% set z = '1.959963984540054e0' -%}
with

labels as (
    select * from {{ source('raw', 'pair_labels') }}
),

-- the first root of a root prompt is what its other prompts are held beside
placed as (
    select
        study_id,
        root_prompt_id,
        prompt_id,
        row_number() over (partition by study_id, root_prompt_id order by is_root desc, prompt_id asc) as place
    from {{ source('raw', 'prompts') }}
    where prompt_text is not null
),

branches as (
    select study_id, root_prompt_id, prompt_id
    from placed
    where place > 1
),

members as (
    select study_id, grouping_id, group_id, prompt_id
    from {{ ref('int_group_members') }}
    where slice_id = 'all'
    union all
    select study_id, 'all' as grouping_id, 'all' as group_id, prompt_id
    from branches
),

judged as (
    select
        study_id,
        prompt_id,
        count(*) as n_labels,
        avg(case when is_minimal_pair then 0.0e0 else 1.0e0 end) as bad_share
    from labels
    where is_minimal_pair is not null
    group by study_id, prompt_id
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
    from branches
    inner join members using (study_id, prompt_id)
    left join judged using (study_id, prompt_id)
    where study_id in (select study_id from labels)
    group by study_id, grouping_id, group_id, root_prompt_id
),

by_group as (
    select
        study_id,
        grouping_id,
        group_id,
        cast(sum(n_pairs) as bigint) as n_pairs,
        count(bad_share) as n_root_prompts,
        cast(coalesce(sum(n_labels), 0) as bigint) as n_labels,
        avg(bad_share) as value
    from by_root
    group by study_id, grouping_id, group_id
),

-- Wilson's interval of n shares: one inside a root prompt varies no more than a yes or no
middles as (
    select
        *,
        {{ z }} * {{ z }} / nullif(n_root_prompts, 0) as squared
    from by_group
)

select
    study_id,
    grouping_id,
    group_id,
    n_pairs,
    n_root_prompts,
    n_labels,
    value,
    (value + squared / 2 - sqrt(squared * value * (1 - value) + squared * squared / 4)) / (1 + squared) as ci_low,
    (value + squared / 2 + sqrt(squared * value * (1 - value) + squared * squared / 4)) / (1 + squared) as ci_high,
    case when value is null then 'no_pair_labelled' end as reason
from middles

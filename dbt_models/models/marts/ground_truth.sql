{% set comparison = 'study_id, slice_id, system_id, measure_id, grouping_id' %}
with

shares as (
    select * from {{ ref('int_truth_shares') }}
),

divergences as (
    select * from {{ ref('int_truth_divergences') }} where of_what in ('category', 'groups')
),

truths as (
    select distinct study_id, measure_id, grouping_id, period, source, licence
    from {{ source('raw', 'ground_truths') }}
),

answers as (
    select * from {{ ref('int_truth_answers') }}
),

known_groups as (
    select distinct study_id, measure_id, grouping_id, group_id from {{ source('raw', 'ground_truths') }}
),

unknown as (
    select {{ comparison }}, category, answers.group_id, cast(sum(answers.n) as bigint) as n
    from answers
    left join known_groups using (study_id, measure_id, grouping_id, group_id)
    where answers.category_position is null or known_groups.group_id is null
    group by {{ comparison }}, category, answers.group_id
),

of_groups as (
    select
        {{ comparison }},
        '' as category,
        group_id,
        n_group as n,
        n_responses as n_category,
        n_group / nullif(cast(n_responses as double), 0) as model_share,
        sum(n_persons) / nullif(sum(sum(n_persons)) over (partition by {{ comparison }}), 0) as truth_share
    from shares
    group by {{ comparison }}, group_id, n_group, n_responses
),

together as (
    select {{ comparison }}, category, group_id, n, n_category, model_share, truth_share from shares
    union all
    select {{ comparison }}, category, group_id, n, n_category, model_share, truth_share from of_groups
),

reasoned as (
    select
        together.*,
        divergences.jsd,
        case
            when together.n_category = 0 then 'category_not_answered'
            when together.truth_share is null and together.category = '' then 'no_truth_counts'
            when together.truth_share is null then 'nobody_in_truth'
        end as reason
    from together
    inner join divergences using ({{ comparison }}, category)
    union all
    select
        {{ comparison }},
        category,
        group_id,
        n,
        null as n_category,
        null as model_share,
        null as truth_share,
        null as jsd,
        'not_in_truth' as reason
    from unknown
)

select
    study_id,
    reasoned.slice_id,
    reasoned.system_id,
    measure_id,
    grouping_id,
    reasoned.category,
    reasoned.group_id,
    reasoned.n,
    reasoned.n_category,
    reasoned.model_share,
    reasoned.truth_share,
    reasoned.jsd as jsd_nats,
    sqrt(reasoned.jsd / ln(2)) as jsd_distance,
    truths.source,
    truths.licence,
    truths.period,
    reasoned.reason
from reasoned
inner join truths using (study_id, measure_id, grouping_id)

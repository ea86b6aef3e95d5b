with

worst_groups as (
    select * from {{ ref('int_worst_groups') }}
),

measures as (
    select study_id, max(case when direction <> 'none' or favourable is not null then 1 else 0 end) = 1 as has_direction
    from {{ source('raw', 'measures') }}
    group by study_id
),

groupings as (
    select study_id, grouping_id
    from {{ source('raw', 'groupings') }}
    where not {{ is_of_controls() }}
    group by study_id, grouping_id
),

asked as (
    select study_id, grouping_id, count(distinct model) as n_models, count(*) as n_hypotheses
    from worst_groups
    group by study_id, grouping_id
),

counted as (
    select
        study_id,
        grouping_id,
        group_id,
        count(*) as n_worst,
        count(distinct model) as n_models_worst,
        count(distinct case when is_significant then model end) as n_models_significant
    from worst_groups
    where group_id is not null
    group by study_id, grouping_id, group_id
),

decided as (
    select
        study_id,
        grouping_id,
        coalesce(counted.group_id, '') as group_id,
        coalesce(asked.n_models, 0) as n_models,
        coalesce(asked.n_hypotheses, 0) as n_hypotheses,
        coalesce(counted.n_worst, 0) as n_worst,
        coalesce(counted.n_models_significant, 0) as n_models_significant,
        case
            when not measures.has_direction then 'no_direction'
            when coalesce(asked.n_models, 0) < 3 then 'too_few_models'
        end as reason,
        coalesce(
            counted.n_models_worst >= 3
            and counted.n_worst >= 0.75e0 * asked.n_hypotheses
            and counted.n_models_significant >= 2,
            false
        ) as is_raised
    from groupings
    inner join measures using (study_id)
    left join asked using (study_id, grouping_id)
    left join counted using (study_id, grouping_id)
),

ranked as (
    select
        *,
        row_number() over (
            partition by study_id, grouping_id order by is_raised desc, n_worst desc, group_id asc
        ) as place
    from decided
)

select
    study_id,
    grouping_id,
    case when is_raised and reason is null then group_id else '' end as group_id,
    n_models,
    n_hypotheses,
    n_worst,
    n_models_significant,
    case when reason is null then n_worst / cast(n_hypotheses as double) end as value,
    case when reason is not null then 'not_evaluated' when is_raised then 'raised' else 'not_raised' end as status,
    reason
from ranked
where place = 1 or (is_raised and reason is null)

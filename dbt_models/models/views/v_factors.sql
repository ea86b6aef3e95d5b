with

components as (
    select *, case source when 'group' then grouping_id else source end as factor
    from {{ ref('variance_components') }}
),

models as (
    select * from {{ ref('factor_models') }} where factor <> ''
),

-- what only one of the two has keeps its row
joined as (
    select
        study_id,
        slice_id,
        measure_id,
        factor,
        coalesce(components.grouping_id, '') as grouping_id,
        coalesce(components.source, '') as source,
        coalesce(models.regression_id, '') as regression_id,
        coalesce(models.system_id, '') as system_id,
        components.position,
        components.variance,
        components.share,
        components.n_levels,
        models.deviance_drop,
        models.q_value,
        coalesce(components.n_responses, models.n_responses) as n_responses,
        case when components.share is null then coalesce(components.reason, 'no_grouping') end as reason,
        case when models.deviance_drop is null then coalesce(models.reason, 'no_regression') end as deviance_reason
    from components
    full join models using (study_id, slice_id, measure_id, factor)
),

studies as (
    select * from {{ ref('studies') }}
),

measures as (
    select * from {{ ref('measures') }}
)

select
    joined.study_id,
    joined.slice_id,
    joined.measure_id,
    joined.grouping_id,
    joined.source,
    joined.factor,
    joined.regression_id,
    joined.system_id,
    studies.title,
    measures.kind,
    measures.unit,
    joined.position,
    {{ rounded('joined.variance') }} as variance,
    {{ rounded('joined.share') }} as share,
    joined.n_levels,
    {{ rounded('joined.deviance_drop') }} as deviance_drop,
    {{ rounded('joined.q_value') }} as q_value,
    joined.n_responses,
    joined.reason,
    joined.deviance_reason
from joined
inner join studies using (study_id)
inner join measures using (study_id, measure_id)

with

families as (
    select * from {{ ref('int_scorer_families') }}
),

studies as (
    select * from {{ ref('studies') }}
)

select
    families.study_id,
    families.measure_id,
    families.model_family,
    studies.title,
    families.kind,
    families.scorer,
    families.label_set,
    families.model,
    families.scorer_version,
    families.n,
    {{ rounded('families.recall_low') }} as recall_low,
    {{ rounded('families.recall_high') }} as recall_high,
    {{ rounded('families.precision_low') }} as precision_low,
    {{ rounded('families.precision_high') }} as precision_high,
    families.is_current,
    case
        when families.recall_low is null
        then coalesce(families.reason, case when families.n > 0 then 'not_binary' else 'family_not_validated' end)
    end as reason
from families
inner join studies using (study_id)

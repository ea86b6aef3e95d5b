with

families as (
    select * from {{ ref('int_instrument_families') }}
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
    families.extractor,
    families.label_set,
    families.model,
    families.extractor_version,
    families.n,
    families.recall_low,
    families.recall_high,
    families.precision_low,
    families.precision_high,
    families.is_current,
    case
        when families.recall_low is null
        then coalesce(families.reason, case when families.n > 0 then 'not_binary' else 'family_not_validated' end)
    end as reason
from families
inner join studies using (study_id)

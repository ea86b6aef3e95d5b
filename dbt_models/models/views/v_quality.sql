with

checks as (
    select * from {{ ref('data_quality') }}
),

rejected as (
    select
        study_id,
        stage,
        rule,
        count(*) as n_rejected,
        min(detail) as example,
        max(quarantined_at) as checked_at
    from {{ ref('quarantined_records') }}
    group by study_id, stage, rule
),

studies as (
    select * from {{ ref('studies') }}
),

unioned as (
    select
        study_id,
        'check' as source,
        table_name as place,
        expectation as rule,
        column_name,
        severity,
        success,
        n_evaluated,
        n_unexpected,
        unexpected_share,
        examples_json as example,
        checked_at
    from checks
    union all
    select
        study_id,
        'quarantine' as source,
        stage as place,
        rule,
        '' as column_name,
        'rejected' as severity,
        false as success,
        cast(null as bigint) as n_evaluated,
        n_rejected as n_unexpected,
        cast(null as double) as unexpected_share,
        example,
        checked_at
    from rejected
)

select
    unioned.study_id,
    unioned.source,
    unioned.place,
    unioned.rule,
    unioned.column_name,
    studies.title,
    unioned.severity,
    unioned.success,
    unioned.n_evaluated,
    unioned.n_unexpected,
    {{ rounded('unioned.unexpected_share') }} as unexpected_share,
    unioned.example,
    unioned.checked_at
from unioned
inner join studies using (study_id)

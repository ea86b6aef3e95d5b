with

rules as (
    select * from {{ ref('quality_rules') }}
),

studies as (
    select * from {{ ref('studies') }}
),

checks as (
    select * from {{ ref('data_quality') }}
)

select
    studies.study_id,
    rules.rule,
    studies.title,
    rules.rule_position,
    rules.definition,
    rules.consequence,
    checks.success as is_met,
    checks.n_evaluated,
    checks.n_unexpected,
    case when rules.removes then checks.n_unexpected when checks.n_unexpected is not null then 0 end as n_removed,
    -- NULL where nothing was looked at
    case
        when checks.n_evaluated > 0
        then
            {{ rounded(
                '(case when rules.removes then checks.n_unexpected else 0 end) / cast(checks.n_evaluated as double)'
            ) }}
    end as removal_rate,
    checks.examples_json,
    case when coalesce(checks.n_evaluated, 0) = 0 then 'nothing_to_check' end as reason
from rules
cross join studies
left join checks
    on studies.study_id = checks.study_id
    and rules.table_name = checks.table_name
    and rules.expectation = checks.expectation

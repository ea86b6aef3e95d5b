-- Every group that is told has its question among the findings, which is called different or equivalent, and those with
-- a direction are the ones that it counts.
with

counted as (
    select {{ hypothesis_keys() | join(', ') }}, count(distinct case when direction is not null then group_id end) as n_standing
    from {{ ref('finding_groups') }}
    group by {{ hypothesis_keys() | join(', ') }}
)

select counted.*, findings.n_groups_different, findings.verdict
from counted
left join {{ ref('findings') }} as findings using ({{ hypothesis_keys() | join(', ') }})
where
    findings.study_id is null
    or findings.n_groups_different <> counted.n_standing
    or findings.verdict not in ('beyond_margin', 'different', 'equivalent')

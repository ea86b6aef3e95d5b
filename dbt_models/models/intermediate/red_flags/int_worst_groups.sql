{% set keys = 'study_id, slice_id, system_id, grouping_id, measure_id' %}
with

findings as (
    select *
    from {{ ref('int_findings') }} as findings
    where {{ is_flag_hypothesis('findings') }} and p_value is not null
),

measures as (
    select study_id, measure_id, case when kind = 'categorical' then favourable else '' end as category
    from {{ source('raw', 'measures') }}
    where (kind = 'categorical' and favourable is not null) or (kind <> 'categorical' and direction <> 'none')
),

hypothesis_groups as (
    select *, advantage * abs(value) as favour
    from {{ ref('int_hypothesis_groups') }} as hypothesis_groups
    where value is not null and {{ is_pinned('hypothesis_groups') }}
),

systems as (
    select study_id, system_id, {{ model_name() }} as model from {{ source('raw', 'systems') }} as systems
),

compared as (
    select hypothesis_groups.*, systems.model
    from hypothesis_groups
    inner join findings using ({{ keys }})
    inner join measures using (study_id, measure_id, category)
    inner join systems using (study_id, system_id)
),

sides as (
    select {{ keys }}, category, model, group_id, favour, differs_on_its_own and advantage < 0 as is_significant
    from compared
    union all
    select {{ keys }}, category, model, reference as group_id, 0 as favour, differs_on_its_own and advantage > 0 as is_significant
    from compared
    where reference not in ('rest', 'grand_mean')
),

scored as (
    select
        {{ keys }},
        category,
        model,
        group_id,
        avg(favour) as favour,
        max(case when is_significant then 1 else 0 end) as is_significant
    from sides
    group by {{ keys }}, category, model, group_id
),

placed as (
    select *, rank() over (partition by {{ keys }} order by round(favour, 12) asc nulls last) as place from scored
)

select
    {{ keys }},
    category,
    model,
    case when count(*) = 1 then min(group_id) end as group_id,
    count(*) = 1 and max(is_significant) = 1 as is_significant
from placed
where place = 1
group by {{ keys }}, category, model

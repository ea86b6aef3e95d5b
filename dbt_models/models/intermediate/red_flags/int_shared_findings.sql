{% set place = 'study_id, slice_id, measure_id, grouping_id' %}
with

findings as (
    select *
    from {{ ref('int_findings') }} as findings
    where {{ is_flag_hypothesis('findings') }}
),

systems as (
    select study_id, system_id, {{ model_name() }} as model from {{ source('raw', 'systems') }} as systems
),

consistency as (
    select * from {{ ref('cross_model_consistency') }}
),

places as (
    select {{ place }}, count(distinct case when p_value is not null then model end) as n_models
    from findings
    inner join systems using (study_id, system_id)
    group by {{ place }}
),

shared as (
    select *, greatest(n_significant_higher, n_significant_lower) as n_significant
    from consistency
    where greatest(n_significant_higher, n_significant_lower) > 1 and least(n_significant_higher, n_significant_lower) = 0
)

select
    {{ place }},
    coalesce(shared.group_id, '') as group_id,
    coalesce(shared.category, '') as category,
    coalesce(shared.reference, '') as reference,
    places.n_models,
    case when places.n_models > 1 then coalesce(shared.n_significant, 0) end as value,
    case
        when places.n_models < 2 then 'not_evaluated' when shared.n_significant > 1 then 'raised' else 'not_raised'
    end as status,
    case when places.n_models < 2 then 'too_few_models' end as reason
from places
left join shared using ({{ place }})

with

hypothesis_groups as (
    select *
    from {{ ref('int_hypothesis_groups') }} as hypothesis_groups
    where value is not null and {{ is_pinned('hypothesis_groups') }} and not {{ is_of_controls() }}
),

systems as (
    select study_id, system_id, {{ model_name() }} as model
    from {{ source('raw', 'systems') }} as systems
    where not is_baseline
),

of_models as (
    select
        study_id,
        hypothesis_groups.slice_id,
        hypothesis_groups.measure_id,
        hypothesis_groups.grouping_id,
        hypothesis_groups.group_id,
        hypothesis_groups.category,
        hypothesis_groups.reference,
        systems.model,
        avg(hypothesis_groups.value) as value,
        max(case when hypothesis_groups.is_mirror then 0 else 1 end) as is_own,
        max(case when hypothesis_groups.differs_on_its_own and hypothesis_groups.value > 0 then 1 else 0 end) as is_significant_higher,
        max(case when hypothesis_groups.differs_on_its_own and hypothesis_groups.value < 0 then 1 else 0 end) as is_significant_lower
    from hypothesis_groups
    inner join systems using (study_id, system_id)
    group by
        study_id,
        hypothesis_groups.slice_id,
        hypothesis_groups.measure_id,
        hypothesis_groups.grouping_id,
        hypothesis_groups.group_id,
        hypothesis_groups.category,
        hypothesis_groups.reference,
        systems.model
),

counted as (
    select
        study_id,
        slice_id,
        measure_id,
        grouping_id,
        group_id,
        category,
        reference,
        count(*) as n_models,
        count(case when value > 1e-12 then 1 end) as n_higher,
        count(case when value < -1e-12 then 1 end) as n_lower,
        sum(is_significant_higher) as n_significant_higher,
        sum(is_significant_lower) as n_significant_lower
    from of_models
    group by study_id, slice_id, measure_id, grouping_id, group_id, category, reference
    -- which of the cells that say the same has the row of its own may differ by model
    having max(is_own) = 1
)

select
    study_id,
    slice_id,
    measure_id,
    grouping_id,
    group_id,
    category,
    reference,
    case when n_models > 1 then greatest(n_higher, n_lower) / cast(n_models as double) end as value,
    n_models,
    n_higher,
    n_lower,
    cast(n_significant_higher as bigint) as n_significant_higher,
    cast(n_significant_lower as bigint) as n_significant_lower,
    case when n_models < 2 then 'too_few_models' end as reason
from counted

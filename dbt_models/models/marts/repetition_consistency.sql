with

measurements as (
    select * from {{ source('raw', 'measurements') }} where reason is null
),

measures as (
    select study_id, measure_id, kind from {{ source('raw', 'measures') }}
),

systems as (
    select study_id, system_id from {{ source('raw', 'systems') }} where not is_baseline
),

measure_slices as (
    select * from {{ source('raw', 'measure_slices') }}
),

prompt_slices as (
    select * from {{ ref('int_prompt_slices') }} where negative_control is null
),

valued as (
    select
        study_id,
        slice_id,
        system_id,
        measure_id,
        measures.kind,
        prompt_id,
        measurements.value,
        coalesce(measurements.label, cast(measurements.value as string)) as answer
    from measurements
    inner join measures using (study_id, measure_id)
    inner join systems using (study_id, system_id)
    inner join measure_slices using (study_id, measure_id)
    inner join prompt_slices using (study_id, slice_id, prompt_id)
),

answers as (
    select study_id, slice_id, system_id, measure_id, prompt_id, answer, count(*) as n
    from valued
    where kind <> 'continuous'
    group by study_id, slice_id, system_id, measure_id, prompt_id, answer
),

modal as (
    select study_id, slice_id, system_id, measure_id, prompt_id, max(n) as n_modal
    from answers
    group by study_id, slice_id, system_id, measure_id, prompt_id
),

of_prompts as (
    select
        study_id,
        slice_id,
        system_id,
        measure_id,
        kind,
        prompt_id,
        count(*) as n_values,
        max(modal.n_modal) as n_modal,
        case when count(*) > 1 then sqrt(var_samp(value)) end as spread,
        min(value) = max(value) as is_constant
    from valued
    left join modal using (study_id, slice_id, system_id, measure_id, prompt_id)
    group by study_id, slice_id, system_id, measure_id, kind, prompt_id
),

repeated as (
    select *, case when kind = 'continuous' then spread else n_modal / cast(n_values as double) end as consistency
    from of_prompts
    where n_values > 1
),

places as (
    select study_id, slice_id, system_id, measure_id, kind
    from of_prompts
    group by study_id, slice_id, system_id, measure_id, kind
),

counted as (
    select
        study_id,
        slice_id,
        system_id,
        measure_id,
        avg(consistency) as value,
        count(*) as n_prompts,
        count(case when n_modal = n_values or is_constant then 1 end) as n_prompts_alike,
        sum(n_values) as n_responses
    from repeated
    group by study_id, slice_id, system_id, measure_id
)

select
    study_id,
    slice_id,
    system_id,
    measure_id,
    case when places.kind = 'continuous' then 'standard_deviation' else 'modal_share' end as statistic,
    counted.value,
    coalesce(counted.n_prompts, 0) as n_prompts,
    coalesce(counted.n_prompts_alike, 0) as n_prompts_alike,
    cast(coalesce(counted.n_responses, 0) as bigint) as n_responses,
    case when counted.study_id is null then 'no_replicates' end as reason
from places
left join counted using (study_id, slice_id, system_id, measure_id)

{# Words as numbers as inspect_ai.scorer.value_to_float reads them. -#}
with

metrics as (
    select study_id, log, system_id, measure_id, reducer, group_factor, group_level
    from {{ source('raw', 'imported_metrics') }}
    where reason is null
    group by study_id, log, system_id, measure_id, reducer, group_factor, group_level
),

samples as (
    select study_id, log, system_id, prompt_id, replicate from {{ source('raw', 'imported_samples') }}
),

parts as (
    select * from {{ source('raw', 'imported_sample_parts') }}
),

measurements as (
    select study_id, system_id, prompt_id, replicate, measure_id, value, label
    from {{ source('raw', 'measurements') }}
    where reason is null
),

levels as (
    select study_id, prompt_id, factor as group_factor, level as group_level
    from {{ source('raw', 'prompt_factors') }}
)

select
    study_id,
    log,
    system_id,
    measure_id,
    reducer,
    group_factor,
    group_level,
    prompt_id,
    -- without a reducer every response is a unit of its own
    case when reducer = '' then replicate else 0 end as unit_position,
    replicate as epoch_position,
    measurements.label,
    parts.true_label,
    parts.weight,
    case
        when measurements.label is null then measurements.value
        when measurements.label = 'C' or lower(measurements.label) in ('yes', 'true') then 1.0e0
        when measurements.label = 'P' then 0.5e0
        else coalesce(try_cast(measurements.label as double), 0.0e0)
    end as score
from metrics
inner join samples using (study_id, log, system_id)
inner join measurements using (study_id, system_id, measure_id, prompt_id, replicate)
left join parts using (study_id, system_id, measure_id, prompt_id, replicate)
left join levels using (study_id, prompt_id, group_factor, group_level)
where group_factor = '' or levels.prompt_id is not null

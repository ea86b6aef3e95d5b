with

measurements as (
    select * from {{ source('raw', 'measurements') }}
),

measures as (
    select * from {{ source('raw', 'measures') }}
),

systems as (
    select * from {{ source('raw', 'systems') }}
),

measured as (
    select study_id, system_id, measure_id, count(baseline_value) as n_baselines
    from measurements
    group by study_id, system_id, measure_id
    having max(case when reason in ('no_response_text', 'none_undecided') then 0 else 1 end) = 1
),

labels as (
    select study_id, measure_id, label
    from measurements
    where label is not null
    group by study_id, measure_id, label
),

comparing as (
    select study_id from {{ ref('int_settings') }} group by study_id
),

of_systems as (
    select
        study_id,
        system_id,
        measure_id,
        systems.is_baseline,
        measures.kind,
        measures.kind = 'continuous' and not systems.is_baseline and measured.n_baselines > 0 as is_calibrated
    from measured
    inner join measures using (study_id, measure_id)
    inner join systems using (study_id, system_id)
),

described as (
    select study_id, system_id, measure_id, kind, is_calibrated from of_systems
    union all
    select
        study_id,
        'all' as system_id,
        measure_id,
        min(kind) as kind,
        max(cast(is_calibrated as integer)) = 1 as is_calibrated
    from of_systems
    inner join comparing using (study_id)
    where not is_baseline
    group by study_id, measure_id
),

outcomes as (
    select study_id, system_id, measure_id, kind, 'raw' as calibration, '' as category
    from described
    where kind <> 'categorical'
    union all
    select study_id, system_id, measure_id, kind, 'calibrated' as calibration, '' as category
    from described
    where is_calibrated
    union all
    select study_id, system_id, measure_id, described.kind, 'raw' as calibration, labels.label as category
    from described
    inner join labels using (study_id, measure_id)
    where described.kind = 'categorical'
)

select
    study_id,
    system_id,
    measure_id,
    calibration,
    category,
    kind,
    cast(
        row_number() over (
            order by study_id asc, system_id asc, measure_id asc, calibration asc, category asc
        ) - 1
        as integer
    ) as outcome_position
from outcomes

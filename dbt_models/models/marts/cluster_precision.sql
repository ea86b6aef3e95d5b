{% set threshold = '0.1e0' %}
with

clusters as (
    select * from {{ source('raw', 'clusters') }}
),

measurements as (
    select *
    from {{ source('raw', 'measurements') }}
    inner join {{ source('raw', 'prompts') }} using (study_id, prompt_id)
    where negative_control is null
),

prompt_factors as (
    select * from {{ source('raw', 'prompt_factors') }}
),

systems as (
    select * from {{ source('raw', 'systems') }}
    where not is_baseline
),

named as (
    select
        *,
        measure_id || '_' || cast(cluster_position as string) || '_distance' as distance_id
    from clusters
),

distances as (
    select
        named.study_id,
        named.measure_id,
        named.segment,
        named.cluster_position,
        measurements.system_id,
        measurements.value as x,
        measurements.baseline_value as baseline
    from named
    inner join measurements
        on named.study_id = measurements.study_id and named.distance_id = measurements.measure_id
    inner join systems
        on measurements.study_id = systems.study_id
        and measurements.system_id = systems.system_id
    left join prompt_factors
        on measurements.study_id = prompt_factors.study_id
        and measurements.prompt_id = prompt_factors.prompt_id
        and named.factor = prompt_factors.factor
    where named.factor = '' or prompt_factors.level = named.segment
),

compared as (
    select
        *,
        case
            when x is null or baseline is null then null
            when abs(x - baseline) <= {{ threshold }} + 1e-12 * greatest(abs(x), abs(baseline)) then 1
            else 0
        end as is_within
    from distances
),

counted as (
    select
        study_id,
        measure_id,
        segment,
        cluster_position,
        system_id,
        count(is_within) as n,
        cast(coalesce(sum(is_within), 0) as bigint) as n_within
    from compared
    group by study_id, measure_id, segment, cluster_position, system_id
),

pooled as (
    select
        study_id,
        measure_id,
        '(all)' as segment,
        0 as cluster_position,
        system_id,
        cast(sum(n) as bigint) as n,
        cast(sum(n_within) as bigint) as n_within
    from counted
    group by study_id, measure_id, system_id
),

every_row as (
    select * from counted
    union all
    select * from pooled
)

select
    study_id,
    measure_id,
    segment,
    cluster_position,
    system_id,
    {{ threshold }} as threshold,
    n,
    n_within,
    case when n > 0 then cast(n_within as double) / n end as precision,
    case when n = 0 then 'no_baseline' end as reason
from every_row

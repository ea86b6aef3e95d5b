with

packaged as (
    select * from {{ source('raw', 'scorers') }}
),

of_study as (
    select * from {{ ref('int_study_scorers') }}
),

labelled as (
    select distinct study_id, measure_id from of_study
),

-- where people labelled answers of the study, somebody did compare the measure with the truth
kept as (
    select packaged.*
    from packaged
    left join labelled using (study_id, measure_id)
    where labelled.measure_id is null or packaged.material <> ''
)

select * from kept
union all
select * from of_study

-- One row per (study_id, slice_id, generation_id, grouping_id, measure_id, calibration, statistic, parameters): calibrated
-- questions that came to what the raw one came to: the same verdict, and the same groups stand on the same sides.
{% set shared = question_keys() | reject('in', ['calibration']) | join(', ') %}
with

questions as (
    select * from {{ ref('int_questions') }}
),

told as (
    select * from {{ ref('int_question_groups') }} where stands and not is_mirror
),

counts as (
    select {{ shared }}, calibration, count(*) as n_told
    from told
    group by {{ shared }}, calibration
),

agreeing as (
    select {{ shared }}, count(*) as n_agreeing
    from told as calibrated
    inner join told as uncalibrated using ({{ shared }}, group_id, category, reference)
    where
        calibrated.calibration = 'calibrated'
        and uncalibrated.calibration = 'raw'
        and sign(calibrated.value) = sign(uncalibrated.value)
    group by {{ shared }}
),

counted as (
    select questions.*, coalesce(counts.n_told, 0) as n_told
    from questions
    left join counts using ({{ shared }}, calibration)
)

select {{ shared }}, calibrated.calibration
from counted as calibrated
inner join counted as uncalibrated using ({{ shared }})
left join agreeing using ({{ shared }})
where
    calibrated.calibration = 'calibrated'
    and uncalibrated.calibration = 'raw'
    and calibrated.verdict = uncalibrated.verdict
    and calibrated.n_told = uncalibrated.n_told
    and calibrated.n_told = coalesce(agreeing.n_agreeing, 0)

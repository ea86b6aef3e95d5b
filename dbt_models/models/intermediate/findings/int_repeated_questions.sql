{% set question = question_keys() | join(', ') %}
{% set shared = question_keys() | reject('in', ['measure_id', 'calibration']) | join(', ') %}
with

questions as (
    select * from {{ ref('int_questions') }} where is_finding
),

told as (
    select * from {{ ref('int_question_groups') }} where differs_on_its_own and not is_mirror
),

counts as (
    select {{ question }}, count(*) as n_told
    from told
    group by {{ question }}
),

counted as (
    select questions.*, coalesce(counts.n_told, 0) as n_told
    from questions
    left join counts using ({{ question }})
),

-- what another reading may repeat: calibrated values the raw ones, those as written the ones with neutral words, and of
-- raw and corrected values those that are not asked first
others as (
    select {{ question }}, verdict, n_told, measure_id as repeated_measure, 'calibrated' as repeated_calibration
    from counted
    where calibration = 'raw'
    union all
    select {{ question }}, verdict, n_told, measure_id as repeated_measure, 'corrected' as repeated_calibration
    from counted
    where calibration = 'raw' and set_id <> 'secondary'
    union all
    select {{ question }}, verdict, n_told, measure_id as repeated_measure, 'raw' as repeated_calibration
    from counted
    where calibration = 'corrected' and set_id <> 'secondary'
    union all
    select
        {{ question }}, verdict, n_told, {{ as_written('measure_id') }} as repeated_measure,
        calibration as repeated_calibration
    from counted
),

pairs as (
    select
        {% for key in question_keys() %}
        counted.{{ key }},
        {% endfor %}
        counted.n_told,
        others.measure_id as other_measure,
        others.calibration as other_calibration
    from counted
    inner join others
        on
            counted.measure_id = others.repeated_measure
            and counted.calibration = others.repeated_calibration
            {% for key in shared.split(', ') %}
            and counted.{{ key }} = others.{{ key }}
            {% endfor %}
            and counted.verdict = others.verdict
            and counted.n_told = others.n_told
),

agreeing as (
    select {% for key in question_keys() %}pairs.{{ key }}, {% endfor %}count(*) as n_agreeing
    from pairs
    inner join told using ({{ question }})
    inner join told as told_otherwise
        on
            pairs.other_measure = told_otherwise.measure_id
            and pairs.other_calibration = told_otherwise.calibration
            {% for key in shared.split(', ') %}
            and pairs.{{ key }} = told_otherwise.{{ key }}
            {% endfor %}
            and told.group_id = told_otherwise.group_id
            and told.category = told_otherwise.category
            and told.reference = told_otherwise.reference
            and sign(told.value) = sign(told_otherwise.value)
    group by {% for key in question_keys() %}pairs.{{ key }}{{ ', ' if not loop.last }}{% endfor %}
)

select {% for key in question_keys() %}pairs.{{ key }}{{ ', ' if not loop.last }}{% endfor %}
from pairs
left join agreeing using ({{ question }})
where pairs.n_told = coalesce(agreeing.n_agreeing, 0)

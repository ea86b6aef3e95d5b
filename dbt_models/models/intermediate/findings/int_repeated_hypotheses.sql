{% set hypothesis = hypothesis_keys() | join(', ') %}
{% set shared = hypothesis_keys() | reject('in', ['measure_id', 'calibration']) | join(', ') %}
with

hypotheses as (
    select * from {{ ref('int_hypotheses') }} where is_finding and not {{ is_of_controls() }}
),

told as (
    select * from {{ ref('int_hypothesis_groups') }} where differs_on_its_own and not is_mirror
),

counts as (
    select {{ hypothesis }}, count(*) as n_told
    from told
    group by {{ hypothesis }}
),

counted as (
    select hypotheses.*, coalesce(counts.n_told, 0) as n_told
    from hypotheses
    left join counts using ({{ hypothesis }})
),

-- what another reading may repeat: calibrated values the raw ones, those as written the ones with neutral words,
-- decisions with undecided responses as no those without them, and of raw and corrected values those not asked first
others as (
    select {{ hypothesis }}, verdict, n_told, measure_id as repeated_measure, 'calibrated' as repeated_calibration
    from counted
    where calibration = 'raw'
    union all
    select {{ hypothesis }}, verdict, n_told, measure_id as repeated_measure, 'corrected' as repeated_calibration
    from counted
    where calibration = 'raw' and family_id <> 'secondary'
    union all
    select {{ hypothesis }}, verdict, n_told, measure_id as repeated_measure, 'raw' as repeated_calibration
    from counted
    where calibration = 'corrected' and family_id <> 'secondary'
    union all
    select
        {{ hypothesis }}, verdict, n_told, {{ as_written('measure_id') }} as repeated_measure,
        calibration as repeated_calibration
    from counted
    union all
    select
        {{ hypothesis }}, verdict, n_told, measure_id || '_undecided_as_no' as repeated_measure,
        calibration as repeated_calibration
    from counted
),

pairs as (
    select
        {% for key in hypothesis_keys() %}
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
    select {% for key in hypothesis_keys() %}pairs.{{ key }}, {% endfor %}count(*) as n_agreeing
    from pairs
    inner join told using ({{ hypothesis }})
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
    group by {% for key in hypothesis_keys() %}pairs.{{ key }}{{ ', ' if not loop.last }}{% endfor %}
)

select {% for key in hypothesis_keys() %}pairs.{{ key }}{{ ', ' if not loop.last }}{% endfor %}
from pairs
left join agreeing using ({{ hypothesis }})
where pairs.n_told = coalesce(agreeing.n_agreeing, 0)

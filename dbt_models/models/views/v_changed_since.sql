{% set keys = hypothesis_keys() + ['reference_system_id'] %}
{% set of_mean = ['study_id', 'run_id', 'slice_id', 'system_id', 'grouping_id', 'measure_id', 'calibration'] | join(', ') %}
with

history as (
    select * from {{ ref('v_history') }}
),

latest as (
    select {{ keys | join(', ') }}, max(run_position) as run_position
    from history
    group by {{ keys | join(', ') }}
),

-- a question of the run that the other tables hold, or of the last one that asked it
now as (
    select history.* from history inner join latest using ({{ keys | join(', ') }}, run_position)
),

placed as (
    select
        *,
        case when reason is null then 0 else 1 end as reason_position,
        {{ verdict_position() }} as verdict_position
    from {{ ref('run_changes') }}
),

ranked as (
    select
        *,
        count(case when reason is null then 1 end) over (partition by {{ of_mean }}, against_run_id) as n_compared,
        row_number() over (
            partition by {{ of_mean }}, against_run_id
            order by
                reason_position asc,
                verdict_position asc,
                round(abs(change), 12) desc nulls last,
                group_id asc,
                category asc
        ) as place
    from placed
),

-- the gate asks of means, rates and labels; other statistics of the same groups are no answer to it
tested as (
    select * from ranked where place = 1
)

select
    {% for key in keys %}
    now.{{ key }},
    {% endfor %}
    now.run_id,
    now.run_id_before,
    now.published_at,
    earlier.published_at as published_at_before,
    now.wave,
    earlier.wave as wave_before,
    now.verdict,
    earlier.verdict as verdict_before,
    {% for column in ['is_headline', 'metric', 'group_id', 'category', 'value', 'ci_low', 'ci_high', 'margin'] %}
    now.{{ column }},
    earlier.{{ column }} as {{ column }}_before,
    {% endfor %}
    now.unit,
    now.is_same_effect,
    now.scorer_changed,
    coalesce(tested.n_compared, 0) > 0 as is_tested,
    {% for column in ['outcome', 'group_id', 'category'] %}
    case when tested.n_compared > 0 then tested.{{ column }} end as change_{{ column }},
    {% endfor %}
    case when tested.n_compared > 0 then {{ rounded('tested.change') }} end as change,
    {% for column in ['ci_low', 'ci_high', 'margin'] %}
    case when tested.n_compared > 0 then {{ rounded('tested.' ~ column) }} end as change_{{ column }},
    {% endfor %}
    case when coalesce(tested.n_compared, 0) = 0 then coalesce(tested.reason, 'not_gated') end as reason
from now
inner join history as earlier
    on {% for key in keys %}now.{{ key }} = earlier.{{ key }} and {% endfor %}now.run_id_before = earlier.run_id
left join tested
    on now.study_id = tested.study_id
    and now.run_id = tested.run_id
    and now.run_id_before = tested.against_run_id
    and now.slice_id = tested.slice_id
    and now.system_id = tested.system_id
    and now.grouping_id = tested.grouping_id
    and now.measure_id = tested.measure_id
    and now.calibration = tested.calibration
    and now.statistic in ('mean', 'share')
    and now.parameters = ''
    and now.reference_system_id = ''

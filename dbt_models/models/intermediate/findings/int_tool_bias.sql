{% set shared = hypothesis_keys() | reject('in', ['system_id', 'calibration']) | join(', ') %}
{% set of_means = ['study_id', 'slice_id', 'grouping_id', 'measure_id'] | join(', ') %}
with

hypotheses as (
    select *, {{ is_shown() }} as is_shown from {{ ref('int_hypotheses') }}
    where is_finding and not {{ is_of_controls() }}
),

hypothesis_groups as (
    select * from {{ ref('int_hypothesis_groups') }}
),

systems as (
    select * from {{ source('raw', 'systems') }}
),

paired_statistics as (
    select study_id, statistic from {{ source('raw', 'statistics') }} where is_paired group by study_id, statistic
),

of_tool as (
    select hypotheses.* from hypotheses
    inner join systems using (study_id, system_id)
    where systems.is_baseline
),

groups_of_tool as (
    select hypothesis_groups.* from hypothesis_groups
    inner join systems using (study_id, system_id)
    where systems.is_baseline and calibration = 'raw' and is_significant
),

turned_round as (
    select {{ shared }}, hypothesis_groups.system_id
    from hypothesis_groups
    inner join groups_of_tool using ({{ shared }}, group_id, category, reference)
    where
        hypothesis_groups.calibration = 'calibrated'
        and hypothesis_groups.differs_on_its_own
        and sign(hypothesis_groups.value) = -sign(groups_of_tool.value)
    group by {{ shared }}, hypothesis_groups.system_id
),

calibrated as (
    select {{ shared }}, system_id, calibrated.calibration
    from hypotheses as calibrated
    inner join hypotheses as uncalibrated using ({{ shared }}, system_id)
    inner join of_tool using ({{ shared }})
    left join turned_round using ({{ shared }}, system_id)
    where
        calibrated.calibration = 'calibrated'
        and uncalibrated.calibration = 'raw'
        and of_tool.calibration = 'raw'
        and calibrated.is_shown
        and not uncalibrated.is_shown
        and of_tool.is_shown
        and (calibrated.n_groups_different = 0 or turned_round.study_id is not null)
),

means as (
    select * from hypotheses where calibration = 'raw' and statistic = 'mean' and parameters = ''
),

paired as (
    select {% for key in hypothesis_keys() %}paired.{{ key }}{{ ', ' if not loop.last }}{% endfor %}
    from hypotheses as paired
    inner join paired_statistics using (study_id, statistic)
    left join means using ({{ of_means }}, system_id)
    inner join of_tool as means_of_tool using ({{ of_means }})
    where
        paired.calibration = 'raw'
        and paired.is_shown
        and not coalesce(means.is_shown, false)
        and means_of_tool.calibration = 'raw'
        and means_of_tool.statistic = 'mean'
        and means_of_tool.parameters = ''
        and means_of_tool.is_shown
),

-- read with neutral words in the place of those that name a group, nothing is shown
as_written as (
    select {% for key in hypothesis_keys() %}plain.{{ key }}{{ ', ' if not loop.last }}{% endfor %}
    from hypotheses as plain
    inner join hypotheses as neutral
        on
            plain.measure_id = {{ as_written('neutral.measure_id') }}
            {% for key in hypothesis_keys() if key != 'measure_id' %}
            and plain.{{ key }} = neutral.{{ key }}
            {% endfor %}
    where plain.is_shown and not neutral.is_shown
)

select {{ shared }}, system_id, calibration from of_tool
union
select {{ shared }}, system_id, calibration from calibrated
union
select {{ shared }}, system_id, calibration from paired
union
select {{ shared }}, system_id, calibration from as_written

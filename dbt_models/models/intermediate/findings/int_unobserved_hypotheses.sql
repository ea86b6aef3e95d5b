{% set keys = (hypothesis_keys() + ['reference_system_id']) | join(', ') %}
{% set place = 'study_id, slice_id, grouping_id, measure_id' %}
with

hypotheses as (
    select {{ keys }}, is_pooled from {{ source('inference', 'hypotheses') }} where not is_observed
),

statistics as (
    select distinct study_id, statistic, parameters, is_paired from {{ source('raw', 'statistics') }}
),

-- a question of a pair has two sides
sides as (
    select {{ place }}, system_id as side_id from hypotheses
    union
    select {{ place }}, reference_system_id as side_id from hypotheses where reference_system_id <> ''
),

members as (
    select distinct study_id, slice_id, grouping_id, prompt_id from {{ ref('int_prompt_groups') }}
    union
    -- the mean of all prompts has no grouping
    select study_id, slice_id, '' as grouping_id, prompt_id from {{ ref('int_prompt_slices') }} where negative_control is null
),

placed as (
    select
        {{ place }},
        side_id,
        answers.asked_prompt_id as prompt_id,
        coalesce(nullif(answers.system_id, ''), models.system_id, side_id) as system_id
    from sides
    inner join members using (study_id, slice_id, grouping_id)
    inner join {{ ref('int_answers') }} as answers using (study_id, prompt_id)
    -- all models together answered what each of them did
    left join {{ source('raw', 'systems') }} as models
        on sides.study_id = models.study_id and side_id = 'all' and answers.system_id = '' and not is_baseline
),

responses as (
    select study_id, system_id, prompt_id from {{ source('raw', 'responses') }}
    union
    select study_id, 'baseline' as system_id, prompt_id
    from {{ source('raw', 'prompts') }} where baseline_text is not null
),

asked as (
    select {{ place }}, side_id, count(*) as n_asked
    from placed
    inner join responses using (study_id, system_id, prompt_id)
    group by {{ place }}, side_id
),

measured as (
    select
        {{ place }},
        side_id,
        measurements.reason as reason_key,
        count(*) as n_of_reason,
        count(coalesce(cast(measurements.value as string), measurements.label)) as n_read
    from placed
    inner join {{ source('raw', 'measurements') }} as measurements
        using (study_id, system_id, prompt_id, measure_id)
    group by {{ place }}, side_id, measurements.reason
),

ranked as (
    select
        *,
        sum(n_read) over (partition by {{ place }}, side_id) as n_read_of_side,
        row_number() over (partition by {{ place }}, side_id order by n_of_reason desc, reason_key asc nulls last)
            as place_of_reason
    from measured
),

of_sides as (
    select
        {{ place }},
        side_id,
        coalesce(asked.n_asked, 0) as n_asked,
        coalesce(ranked.n_read_of_side, 0) as n_read,
        ranked.reason_key as reason
    from sides
    left join asked using ({{ place }}, side_id)
    left join (select * from ranked where place_of_reason = 1) as ranked using ({{ place }}, side_id)
),

joined as (
    select
        {{ keys }},
        is_pooled,
        of_sides.n_asked,
        of_sides.n_read,
        of_sides.reason,
        coalesce(statistics.is_paired, false) or calibration = 'calibrated' as is_against_baseline,
        measures.segment_factor <> '' as is_of_segments,
        row_number() over (partition by {{ keys }} order by n_read asc, n_asked asc, side_id asc) as place_of_side
    from hypotheses
    inner join of_sides using ({{ place }})
    left join (select study_id, measure_id, segment_factor from {{ source('raw', 'measures') }}) as measures
        using (study_id, measure_id)
    left join statistics using (study_id, statistic, parameters)
    where of_sides.side_id in (system_id, reference_system_id)
)

select
    {{ keys }},
    cast(n_asked as bigint) as n_asked,
    case
        when n_asked = 0 then 'not_asked'
        when n_read > 0 and {{ is_of_labels('calibration') }}
        then case statistic when 'share' then 'scheme_not_available' else 'too_few_labels' end
        when n_read > 0 and is_of_segments then 'scorer_differs'  -- some groups lack some clusters
        when n_read > 0 and is_against_baseline then 'no_baseline'
        when n_read > 0 and is_pooled then 'too_few_models'
        else coalesce(case when n_read = 0 then reason end, 'no_values')
    end as reason
from joined
where place_of_side = 1

{# CTE scales with what it is made of: the rows of int_normal_scales. int_selection_standards takes them from here, not
   from that table, which would put one more model between a response and its statistics. #}
{% macro normal_scales() -%}
outcome_values as not materialized (  -- used several times, each time for a few of its rows
    select * from {{ ref('int_outcome_values') }} where x is not null
),

outcomes as (
    select * from {{ ref('int_outcomes') }}
),

-- generation 'all' has a scale of its own and, like the baseline, is no part of that of all
systems as (
    select study_id, system_id, is_baseline from {{ source('raw', 'systems') }}
    union all
    select study_id, system_id, true as is_baseline
    from outcomes
    where system_id = 'all'
    group by study_id, system_id
),

prompt_slices as (
    select * from {{ ref('int_prompt_slices') }} where negative_control is null
),

statistics as (
    select * from {{ source('raw', 'statistics') }}
),

requested_scales as (
    select study_id, normalise_over
    from statistics
    where normalise = 'before'
    group by study_id, normalise_over
),

pooled as (
    -- every outcome with the outcomes whose values its scale is of
    select
        outcomes.study_id,
        outcomes.outcome_position,
        requested_scales.normalise_over,
        sources.outcome_position as source_position
    from outcomes
    inner join requested_scales using (study_id)
    inner join outcomes as sources using (study_id, measure_id, calibration)
    inner join systems
        on sources.study_id = systems.study_id
        and sources.system_id = systems.system_id
    where
        outcomes.kind <> 'categorical'
        and (
            (requested_scales.normalise_over = 'system' and sources.outcome_position = outcomes.outcome_position)
            or (requested_scales.normalise_over = 'all' and not systems.is_baseline)
        )
),

scales as (
    select
        pooled.study_id,
        prompt_slices.slice_id,
        pooled.outcome_position,
        pooled.normalise_over,
        avg(outcome_values.x) as centre,
        case
            when not ({{ has_one_value('max(outcome_values.x)', 'min(outcome_values.x)') }})
            then stddev_samp(outcome_values.x)
        end as spread
    from pooled
    inner join outcome_values on pooled.source_position = outcome_values.outcome_position
    inner join prompt_slices using (prompt_position)
    group by pooled.study_id, prompt_slices.slice_id, pooled.outcome_position, pooled.normalise_over
)
{%- endmacro %}

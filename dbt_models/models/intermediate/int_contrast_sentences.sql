-- One row per row of contrasts that has a verdict: the same in one English sentence.
-- disadvantaged is said only where the measure declares a direction, or the label is its favourable one, and the
-- contrast is of how much of it there is.
{{ config(materialized='view') }}
with

contrasts as (
    select * from {{ ref('contrasts') }}
),

measures as (
    select * from {{ source('raw', 'measures') }}
),

generations as (
    select * from {{ source('raw', 'generations') }}
),

studies as (
    select * from {{ source('raw', 'studies') }}
),

statistics as (
    select * from {{ source('raw', 'statistics') }}
),

-- the selection rate that selection_rate_difference is of
selections as (
    select study_id, min_by(method, parameters) as method
    from statistics
    where statistic = 'selection_rate'
    group by study_id
),

{% set keys = ['slice_id', 'measure_id', 'grouping_id', 'group_id', 'contrast', 'category', 'reference'] %}
from_tool as (
    {{ tool_bias_rows('contrasts', keys, keys, signed=true, statistic="replace(contrast, '_difference', '')") }}
),

described as (
    select
        contrasts.*,
        generations.is_baseline,
        generations.is_baseline or from_tool.study_id is not null as is_tool_bias,
        studies.alpha,
        case
            when contrasts.contrast in ('mean_difference', 'dbi') then ''
            when contrasts.contrast = 'fdi_group' then 'distribution of '
            when contrasts.contrast like 'log%' then 'log odds of '
            when contrasts.contrast = 'risk_difference' and contrasts.category <> '' then 'share of '
            when contrasts.contrast = 'risk_difference' then 'rate of '
            else replace(replace(contrasts.contrast, '_difference', ''), '_', ' ') || ' of '
        end
        || case when contrasts.calibration = 'calibrated' then 'calibrated ' else '' end
        || case when contrasts.category = '' then '' else '"' || contrasts.category || '" in ' end
        || contrasts.measure_id as quantity,
        case when contrasts.contrast like 'log%' then 'are' else 'is' end as is_or_are,
        case when contrasts.contrast like 'log%' then 'those' else 'that' end
        || ' of '
        || case
            when contrasts.reference = 'grand_mean' then 'all groups'
            when contrasts.reference = 'rest' then 'the rest'
            else contrasts.reference
        end as that_of_others,
        case
            when
                contrasts.contrast not in ('mean_difference', 'risk_difference', 'log_disparity', 'dbi')
                and not (contrasts.contrast = 'selection_rate_difference' and selections.method = 'larger')
            then 0
            when measures.kind = 'categorical' and contrasts.category = measures.favourable then sign(contrasts.value)
            when measures.kind = 'categorical' then 0
            when measures.direction = 'higher_better' then sign(contrasts.value)
            when measures.direction = 'higher_worse' then -sign(contrasts.value)
            else 0
        end as advantage
    from contrasts
    inner join measures
        on contrasts.study_id = measures.study_id
        and contrasts.measure_id = measures.measure_id
    inner join generations
        on contrasts.study_id = generations.study_id
        and contrasts.generation_id = generations.generation_id
    inner join studies on contrasts.study_id = studies.study_id
    left join selections on contrasts.study_id = selections.study_id
    left join from_tool
        on contrasts.study_id = from_tool.study_id
        and contrasts.generation_id = from_tool.generation_id
        and contrasts.calibration = from_tool.calibration
        {% for key in keys %}
        and contrasts.{{ key }} = from_tool.{{ key }}
        {% endfor %}
    where contrasts.verdict is not null
)

select
    study_id,
    'contrasts' as source_mart,
    contrast as name,
    slice_id,
    generation_id,
    measure_id,
    calibration,
    grouping_id,
    group_id,
    category,
    reference,
    '' as statistic,
    '' as parameters,
    is_tool_bias,
    value,
    ci_low,
    ci_high,
    p_value,
    q_value,
    margin,
    verdict,
    scope,
    n_needed,
    case when std_error > 0 then abs(value) / std_error end as effect_in_std_errors,
    {{ finding_start() }}
    || quantity || ' of ' || group_id
    || case when slice_id = 'all' then '' else ' in slice ' || slice_id end
    || case
        when value is null and verdict = 'not_computable' then ' cannot be compared with '
        when value is null then ' ' || is_or_are || ' without a finite difference from '
        when value = 0 then ' ' || is_or_are || ' the same as '
        when contrast = 'fdi_group' then ' is ' || {{ three_digits('value') }} || ' apart from '
        else ' ' || is_or_are || ' ' || {{ three_digits('abs(value)') }}
            || case when contrast = 'dbi' then ' standard deviations' else '' end
            || case when value < 0 then ' lower than ' else ' higher than ' end
    end
    || that_of_others
    || {{ finding_uncertainty() }}
    || {{ finding_verdict() }}
    || case
        when verdict not in ('bias_shown', 'difference_shown') then ''
        when is_tool_bias and not is_baseline
        then '; raw ' || case when calibration = 'raw' then 'means' else 'values' end
            || ' show no difference, the baseline texts alone do'
        when advantage < 0 then '; disadvantaged'
        when advantage > 0 then '; advantaged'
        else ''
    end
    || '.' as sentence
from described

-- One row per row of contrasts that has a verdict: the same in one English sentence.
-- disadvantaged is said only where the measure declares a direction, or the label is its favourable one, and the
-- contrast is of how much of it there is.
{{ config(materialized='view') }}
with

contrasts as (
    select * from {{ ref('contrasts') }}
),

measures as (
    select study_id, measure_id, kind, direction, favourable from {{ source('raw', 'measures') }}
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

metrics as (
    select name, has_direction, reference as compared_with from {{ ref('metrics') }} where of = 'contrasts'
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
        {{ contrast_quantity() }} as quantity,
        case when contrasts.contrast like 'log%' then 'are' else 'is' end as is_or_are,
        {{ contrast_others() }} as that_of_others,
        case
            when not metrics.has_direction then 0
            when contrasts.contrast = 'selection_rate_difference' and selections.method <> 'larger' then 0
            when measures.kind = 'categorical' and contrasts.category = measures.favourable then sign(contrasts.value)
            when measures.kind = 'categorical' then 0
            when measures.direction = 'higher_better' then sign(contrasts.value)
            when measures.direction = 'higher_worse' then -sign(contrasts.value)
            else 0
        end as advantage
    from contrasts
    inner join measures using (study_id, measure_id)
    inner join generations using (study_id, generation_id)
    inner join studies using (study_id)
    inner join metrics on contrasts.contrast = metrics.name
    left join selections using (study_id)
    left join from_tool using (study_id, generation_id, calibration, {{ keys | join(', ') }})
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
        when contrast in ('fdi_group', 'jsd_group') then {{ contrast_distance() }}
        else ' ' || is_or_are || ' ' || {{ three_digits('abs(value)') }}
            || case when contrast = 'dbi' then ' standard deviations' else '' end
            || case when value < 0 then ' lower than ' else ' higher than ' end
    end
    || that_of_others
    || {{ finding_uncertainty() }}
    || {{ finding_verdict() }}
    || case
        when verdict not in ('bias_shown', 'difference_shown') then ''
        when is_tool_bias and not is_baseline then {{ finding_of_tool() }}
        when advantage < 0 then '; disadvantaged'
        when advantage > 0 then '; advantaged'
        else ''
    end
    || '.' as sentence
from described

-- One row per row of disparities that has a verdict: the same in one English sentence.
-- Who is disadvantaged is said only where the measure declares a direction and more is what the statistic counts, and
-- not of a ratio of negative numbers, which is above 1.
{{ config(materialized='view') }}
with

disparities as (
    select * from {{ ref('disparities') }}
),

measures as (
    select study_id, measure_id, kind, direction from {{ source('raw', 'measures') }}
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

metrics as (
    select name, is_ratio, has_direction from {{ ref('metrics') }} where of = 'disparities'
),

{% set keys = ['slice_id', 'measure_id', 'grouping_id', 'statistic', 'parameters', 'metric'] %}
from_tool as (
    {% set tool_keys = keys | reject('in', ['parameters', 'metric']) | list %}
    {{ tool_bias_rows('disparities', keys, tool_keys, signed=false, statistic='statistic') }}
),

described as (
    select
        disparities.*,
        generations.is_baseline,
        generations.is_baseline or from_tool.study_id is not null as is_tool_bias,
        studies.alpha,
        case
            when disparities.statistic = 'mean' and measures.kind = 'binary' then 'rate'
            when disparities.statistic = 'share' then 'distribution'
            else replace(disparities.statistic, '_', ' ')
        end
        || ' of '
        || case when disparities.calibration = 'calibrated' then 'calibrated ' else '' end
        || disparities.measure_id as quantity,
        case when metrics.is_ratio then '1' else 'zero' end as no_difference,
        case
            when disparities.group_low = disparities.group_high then ''
            when disparities.value = 0 and not metrics.is_ratio then ''
            when disparities.statistic = 'share'
            then ', nearest to all: ' || {{ group_or_ties('low') }} || ', farthest: ' || {{ group_or_ties('high') }}
            else ', lowest for ' || {{ group_or_ties('low') }} || ', highest for ' || {{ group_or_ties('high') }}
        end as extremes,
        case
            when disparities.group_low = disparities.group_high or not metrics.has_direction then null
            when disparities.metric = 'min_max_ratio' and disparities.value > 1 then null
            when disparities.statistic not in ('mean', 'median', 'selection_rate') then null
            when disparities.statistic = 'selection_rate' and disparities.parameters not like '%method=larger' then null
            when measures.direction = 'higher_better' then {{ group_or_ties('low') }}
            when measures.direction = 'higher_worse' then {{ group_or_ties('high') }}
        end as disadvantaged_group
    from disparities
    inner join measures using (study_id, measure_id)
    inner join generations using (study_id, generation_id)
    inner join studies using (study_id)
    inner join metrics on disparities.metric = metrics.name
    left join from_tool using (study_id, generation_id, calibration, {{ keys | join(', ') }})
    where disparities.verdict is not null
)

select
    study_id,
    'disparities' as source_mart,
    metric as name,
    slice_id,
    generation_id,
    measure_id,
    calibration,
    grouping_id,
    '' as group_id,
    '' as category,
    '' as reference,
    statistic,
    parameters,
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
    cast(null as double) as effect_in_std_errors,
    {{ finding_start() }}
    || quantity
    || case when slice_id = 'all' then '' else ' in slice ' || slice_id end
    || case
        when value is null
        then ' has no ' || replace(metric, '_', ' ') || ' over the groups of ' || grouping_id
        else ' has ' || replace(metric, '_', ' ') || ' ' || {{ three_digits('value') }} || ' over '
            || cast(n_groups as string) || ' groups of ' || grouping_id
            || coalesce(extremes, '')
    end
    || {{ finding_uncertainty() }}
    || {{ finding_verdict('no_difference') }}
    || case
        when is_tool_bias and not is_baseline then {{ finding_of_tool() }}
        when verdict in ('bias_shown', 'difference_shown') and disadvantaged_group is not null
        then '; ' || disadvantaged_group || ' disadvantaged'
        else ''
    end
    || '.' as sentence
from described

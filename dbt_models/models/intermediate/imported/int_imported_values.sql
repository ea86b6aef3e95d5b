{# How the epochs of a sample become one value; source: inspect_ai.scorer, its reducers. A product is the exponential of
   a sum: that of pass_at over the right epochs, which come last; that of pass_k over the first k of them. -#}
{% set by = 'study_id, log, system_id, measure_id, reducer, group_factor, group_level' -%}
with

scores as (
    select
        *,
        coalesce(label, cast(score as string)) as answer,
        score >= 1 as is_right,
        try_cast(replace(replace(replace(reducer, 'at_least_', ''), 'pass_at_', ''), 'pass_k_', '') as integer) as k
    from {{ ref('int_imported_scores') }}
),

alike as (
    select
        {{ by }},
        prompt_id,
        unit_position,
        answer,
        count(*) as n_alike,
        min(epoch_position) as first_position,
        max(score) as score
    from scores
    group by {{ by }}, prompt_id, unit_position, answer
),

numbered_answers as (
    select
        *,
        row_number() over (
            partition by {{ by }}, prompt_id, unit_position order by n_alike desc, first_position
        ) as answer_position
    from alike
),

modes as (
    select {{ by }}, prompt_id, unit_position, score as modal_score from numbered_answers where answer_position = 1
),

numbered as (
    select
        *,
        row_number() over (partition by {{ by }}, prompt_id, unit_position order by is_right, epoch_position) as place,
        count(*) over (partition by {{ by }}, prompt_id, unit_position) as n_epochs,
        count(case when is_right then 1 end) over (partition by {{ by }}, prompt_id, unit_position) as n_right
    from scores
),

reduced as (
    select
        {{ by }},
        prompt_id,
        unit_position,
        max(k) as k,
        max(n_epochs) as n_epochs,
        max(n_right) as n_right,
        avg(score) as mean_score,
        max(score) as max_score,
        percentile_cont(0.5e0) within group (order by score) as median_score,
        exp(sum(case when is_right and place > k then ln(1 - k / cast(place as double)) else 0 end)) as none_right,
        exp(sum(
            case
                when is_right and n_epochs - place < k
                    then ln((n_right - n_epochs + place) / cast(place as double))
                else 0
            end
        )) as all_right,
        avg(weight) as weight
    from numbered
    group by {{ by }}, prompt_id, unit_position
)

select
    study_id,
    log,
    system_id,
    measure_id,
    reducer,
    group_factor,
    group_level,
    prompt_id,
    unit_position,
    weight,
    case
        when reducer in ('', 'mean') then mean_score
        when reducer = 'median' then median_score
        when reducer = 'max' then max_score
        when reducer = 'mode' then modal_score
        when reducer like 'at_least_%' then cast(cast(n_right >= k as integer) as double)
        when n_epochs < k then null
        when reducer like 'pass_at_%' then case when n_epochs - n_right < k then 1.0e0 else 1 - none_right end
        when reducer like 'pass_k_%' then case when n_right < k then 0.0e0 else all_right end
    end as value
from reduced
inner join modes using ({{ by }}, prompt_id, unit_position)

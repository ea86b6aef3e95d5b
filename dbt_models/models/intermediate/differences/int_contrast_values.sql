{% set columns = [
    'study_id', 'slice_id', 'generation_id', 'measure_id', 'calibration', 'grouping_id', 'statistic', 'parameters',
    'group_id', 'contrast', 'category', 'reference'
] %}
with

of_metrics as (
    {{ union_of_metrics('contrasts') }}
),

-- of values that people's labels make, which no cell of SQL holds
of_labels as (
    select
        {{ columns | join(', ') }},
        inference.value_cells as value,
        cast(null as double) as value_responses,
        coalesce(labelled_groups.n_responses, 0) as n_responses,
        inference.n_root_prompts,
        case when inference.value_cells is null then coalesce(inference.inference_reason, 'no_values') end as reason
    from {{ source('inference', 'contrasts') }} as inference
    left join {{ ref('int_labelled_groups') }} as labelled_groups
        using (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, group_id)
    where {{ is_of_labels('inference.calibration') }}
),

contrasts as (
    {% for source in ['of_metrics', 'of_labels'] %}
    select
        {{ columns | join(', ') }}, value, value_responses, n_responses, n_root_prompts, reason
    from {{ source }}
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

metrics as (
    select * from {{ ref('metrics') }} where of = 'contrasts'
)

select contrasts.*, coalesce(metrics.is_tested, false) as is_tested
from contrasts
left join metrics on contrasts.contrast = metrics.name

-- Inference has a row for every number that has a test or interval prescribed, and none for a number that is not there.
-- Its intervals of the shares of labels (summary_statistics with a category) are not read here.
{% set shared = ['study_id', 'slice_id', 'generation_id', 'measure_id', 'calibration', 'grouping_id'] %}
{% set keys = {
    'summary_statistics': ['group_id', 'statistic', 'parameters'],
    'contrasts': ['group_id', 'contrast', 'category', 'reference'],
    'disparities': ['statistic', 'parameters', 'metric'],
} %}
with

summary_statistics as (
    select * from {{ ref('int_statistics') }}
),

contrasts as (
    {{ union_of(contrast_metrics()) }}
),

metrics as (
    {{ union_of(disparity_metrics()) }}
),

disparities as (
    select {{ shared | join(', ') }}, statistic, statistic_parameters as parameters, metric, value
    from metrics
),

{% for mart, own in keys.items() %}
{{ mart }}_met as (
    select
        '{{ mart }}' as mart,
        {% for column in shared + own %}
        coalesce(numbers.{{ column }}, inference.{{ column }}) as {{ column }},
        {% endfor %}
        numbers.study_id is null as is_unknown,
        inference.study_id is null and numbers.value is not null and {{ is_tested(mart, 'numbers') }} as is_missing
    from {{ mart }} as numbers
    full outer join (
        select * from {{ source('inference', mart) }}
        {{ "where category = ''" if 'category' not in own }}
    ) as inference
        on {% for column in shared + own %}
        numbers.{{ column }} = inference.{{ column }}{{ ' and' if not loop.last }}
        {% endfor %}
){{ ',' if not loop.last }}

{% endfor %}
{% for mart in keys %}
select mart, {{ shared | join(', ') }}, is_unknown, is_missing
from {{ mart }}_met
where is_unknown or is_missing
{{ 'union all' if not loop.last }}
{% endfor %}

-- Inference has a row for every number that has a test or interval prescribed, and none for a number that is not there.
-- Its intervals of the shares of labels (summary_statistics with a category) are not read here, nor its contrasts of
-- statistics that the study asks for no difference of, what cells have beyond their parts among them. What labels of
-- people make has no other rows than those of inference.
{% set shared = ['study_id', 'slice_id', 'system_id', 'measure_id', 'calibration', 'grouping_id'] %}
{% set keys = {
    'summary_statistics': ['group_id', 'statistic', 'parameters'],
    'contrasts': ['statistic', 'parameters', 'group_id', 'contrast', 'category', 'reference'],
    'disparities': ['statistic', 'parameters', 'metric'],
} %}
with

metrics as (
    select * from {{ ref('metrics') }}
),

summary_statistics as (
    select *, {{ is_tested_statistic('parameters') }} as is_tested from {{ ref('summary_statistics') }}
    where not {{ is_of_labels('calibration') }}
),

contrasts as (
    select * from {{ ref('int_contrast_values') }}
),

disparities as (
    select {{ shared | join(', ') }}, statistic, statistic_parameters as parameters, metric, value, is_tested
    from {{ ref('int_disparity_values') }}
),

{% for mart, own in keys.items() %}
{{ mart }}_met as (
    select
        '{{ mart }}' as mart,
        {{ (shared + own) | join(', ') }},
        numbers.study_id is null
        {{ "and contrast in (select name from metrics where of = 'contrasts' and not is_optional)
            and (contrast <> 'interaction' or statistic in ('mean', 'share'))" if mart == 'contrasts' }}
            as is_unknown,
        inference.study_id is null and numbers.value is not null and numbers.is_tested as is_missing
    from {{ mart if mart == 'summary_statistics' else
        '(select * from ' ~ mart ~ ' where ' ~ is_told_of_controls(source('inference', mart)) ~ ')' }} as numbers
    full outer join (
        select * from {{ source('inference', mart) }}
        where not {{ is_of_labels('calibration') }} {{ "and category = ''" if 'category' not in own }}
    ) as inference
        using ({{ (shared + own) | join(', ') }})
){{ ',' if not loop.last }}

{% endfor %}
{% for mart in keys %}
select mart, {{ shared | join(', ') }}, is_unknown, is_missing
from {{ mart }}_met
where is_unknown or is_missing
{{ 'union all' if not loop.last }}
{% endfor %}

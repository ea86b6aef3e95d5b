{# CTE asked: the studies that have a contrast, and the parameters of its statistic there. The difference of means is in
   every study, others where raw.contrasts names them; of several that are not
   normalised the first in the order of parameters. #}
{% macro asked_parameters(contrast, statistic) -%}
{%- if statistic == 'mean' -%}
asked as (
    select study_id, '' as parameters from {{ ref('stg_studies') }}
)
{%- else -%}
asked as (
    select contrasts.study_id, min(statistics.parameters) as parameters
    from {{ ref('stg_contrasts') }} as contrasts
    inner join {{ ref('stg_statistics') }} as statistics
        on contrasts.study_id = statistics.study_id
        and statistics.statistic = '{{ statistic }}'
        and statistics.normalise = ''
    where contrasts.contrast = '{{ contrast }}'
    group by contrasts.study_id
)
{%- endif -%}
{%- endmacro %}

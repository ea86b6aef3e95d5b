{# CTE requested: the studies that have a contrast, and the parameters of its statistic there. The difference of means is
   in every study, others are where raw.contrasts names them; of several that are not normalised the first in the order of
   parameters. #}
{% macro requested_parameters(contrast, statistic) -%}
{%- if statistic == 'mean' -%}
requested as (
    select study_id, '' as parameters from {{ source('raw', 'studies') }}
)
{%- else -%}
requested as (
    select contrasts.study_id, min(statistics.parameters) as parameters
    from {{ source('raw', 'contrasts') }} as contrasts
    inner join {{ source('raw', 'statistics') }} as statistics
        on contrasts.study_id = statistics.study_id
        and statistics.statistic = '{{ statistic }}'
        and statistics.normalise = ''
    where contrasts.contrast = '{{ contrast }}'
    group by contrasts.study_id
)
{%- endif -%}
{%- endmacro %}

with

contrasts as (
    {{ union_of_metrics('contrasts') }}
),

metrics as (
    select * from {{ ref('metrics') }} where of = 'contrasts'
)

select contrasts.*, coalesce(metrics.is_tested, false) as is_tested
from contrasts
left join metrics on contrasts.contrast = metrics.name

with

contrasts as (
    {{ union_of_metrics('contrasts') }}
),

metrics as (
    select * from {{ ref('metrics') }} where of = 'contrasts'
)

-- the difference of a custom statistic is no line of the seed
select contrasts.*, coalesce(metrics.is_tested, {{ is_tested_statistic('contrasts.parameters') }}) as is_tested
from contrasts
left join metrics on contrasts.contrast = metrics.name

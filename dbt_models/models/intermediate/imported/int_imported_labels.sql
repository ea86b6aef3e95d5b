{% set by = 'study_id, log, system_id, measure_id, reducer, group_factor, group_level' -%}
with

scores as (
    select * from {{ ref('int_imported_scores') }} where label is not null
),

told as (
    select {{ by }}, label, 1 as n_given, 0 as n_true, case when label = true_label then 1 else 0 end as n_right
    from scores
    union all
    select {{ by }}, true_label as label, 0 as n_given, 1 as n_true, 0 as n_right
    from scores
    where true_label is not null
)

select
    {{ by }},
    label,
    sum(n_given) as n_given,
    sum(n_true) as n_true,
    sum(n_right) as n_right
from told
group by {{ by }}, label

-- A number that is called a difference at 5 % lies outside its noise floor, where p is of the number itself: indices, and
-- contrasts that are permuted as they are. The p of a difference of means is of its t, which a quiet group may leave while
-- the difference itself stays within what the other groups scatter by. Of ratios 1 is no difference.
with

metrics as (
    select * from {{ ref('metrics') }}
),

shown as (
    select 'disparities' as mart, study_id, generation_id, measure_id, grouping_id, metric as name, value, null_q95
    from {{ ref('disparities') }}
    where verdict in ('bias_shown', 'difference_shown') and q_value <= 0.05e0
    union all
    select 'contrasts' as mart, study_id, generation_id, measure_id, grouping_id, contrast as name, value, null_q95
    from {{ ref('contrasts') }}
    where verdict in ('bias_shown', 'difference_shown') and q_value <= 0.05e0
)

select shown.*
from shown
inner join metrics on shown.name = metrics.name and shown.mart = metrics.of
where
    (metrics.of = 'disparities' or (metrics.reference <> 'declared' and metrics.name <> 'dbi'))
    and case
        when metrics.is_ratio
        then
            shown.value > least(1, shown.null_q95) * (1 + 1e-9)
            and shown.value < greatest(1, shown.null_q95) * (1 - 1e-9)
        else abs(shown.value) < shown.null_q95 * (1 - 1e-9)
    end

-- A number that is called a difference at 5 % lies outside its noise floor: of an index the quantile of the permuted
-- index, of a contrast that of its permuted t in its own unit (inference.md 6.5). Of ratios 1 is no difference.
with

metrics as (
    select * from {{ ref('metrics') }}
),

shown as (
    {% for mart, name, q in [('disparities', 'metric', 'q_value'), ('contrasts', 'contrast', 'q_value')] %}
    select '{{ mart }}' as mart, study_id, system_id, measure_id, grouping_id, {{ name }} as name, value, null_q95
    from {{ ref(mart) }}
    where {{ is_shown() }} and {{ q }} <= 0.05e0
    union all
    {% endfor %}
    select 'contrasts' as mart, study_id, system_id, measure_id, grouping_id, contrast as name, value, null_q95
    from {{ ref('int_hypothesis_groups') }}
    where {{ is_shown() }} and q_value <= 0.05e0
)

select shown.*
from shown
inner join metrics on shown.name = metrics.name and shown.mart = metrics.of
where
    case
        when metrics.is_ratio
        then
            shown.value > least(1, shown.null_q95) * (1 + 1e-9)
            and shown.value < greatest(1, shown.null_q95) * (1 - 1e-9)
        else abs(shown.value) < shown.null_q95 * (1 - 1e-9)
    end

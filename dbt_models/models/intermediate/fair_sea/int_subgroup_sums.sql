{% set place = 'outcome_position, slice_id' -%}
with

outcomes as (
    select * from {{ ref('int_outcomes') }}
),

unit_sums as (
    select * from {{ ref('int_subgroup_units') }} where grouping_id <> ''
),

-- of a unit, the responses of a subgroup and of all others together
unit_totals as (
    select {{ place }}, unit_id, n as n_all, k as k_all from {{ ref('int_subgroup_units') }} where grouping_id = ''
),

totals as (
    select
        {{ place }},
        sum(n_all) as n_all,
        sum(k_all) as k_all,
        count(case when n_all > 0 then 1 end) as units_all,
        sum(n_all * n_all) as nn_all,
        sum(n_all * k_all) as nk_all,
        sum(k_all * k_all) as kk_all
    from unit_totals
    group by {{ place }}
),

sums as (
    select
        {{ place }},
        grouping_id,
        group_id,
        sum(n) as n,
        sum(k) as k,
        sum(n_missing) as n_missing,
        count(case when n > 0 then 1 end) as n_units,
        count(case when n > 0 and n_all = n then 1 end) as n_units_alone,
        sum(n * n) as nn,
        sum(n * k) as nk,
        sum(k * k) as kk,
        sum(n * n_all) as n_n_all,
        sum(n * k_all) as n_k_all,
        sum(k * n_all) as k_n_all,
        sum(k * k_all) as k_k_all
    from unit_sums
    inner join unit_totals using ({{ place }}, unit_id)
    group by {{ place }}, grouping_id, group_id
)

select
    outcomes.study_id,
    slice_id,
    outcomes.system_id,
    outcomes.measure_id,
    grouping_id,
    group_id,
    cast(n as bigint) as n_responses,
    cast(k as bigint) as n_deviating,
    cast(n_missing as bigint) as n_missing,
    cast(n_units as bigint) as n_root_prompts,
    cast(n_all - n as bigint) as n_responses_other,
    cast(k_all - k as bigint) as n_deviating_other,
    cast(units_all - n_units_alone as bigint) as n_root_prompts_other,
    cast(nn as bigint) as sum_nn_u,
    cast(nk as bigint) as sum_nk_u,
    cast(kk as bigint) as sum_kk_u,
    cast(nn_all - 2 * n_n_all + nn as bigint) as sum_nn_o,
    cast(nk_all - n_k_all - k_n_all + nk as bigint) as sum_nk_o,
    cast(kk_all - 2 * k_k_all + kk as bigint) as sum_kk_o,
    cast(n_n_all - nn as bigint) as sum_nn_uo,
    cast(n_k_all - nk as bigint) as sum_nk_uo,
    cast(k_n_all - nk as bigint) as sum_kn_uo,
    cast(k_k_all - kk as bigint) as sum_kk_uo
from sums
inner join totals using ({{ place }})
inner join outcomes using (outcome_position)

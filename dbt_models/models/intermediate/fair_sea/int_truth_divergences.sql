{% set comparison = 'study_id, slice_id, system_id, measure_id, grouping_id, parameters' %}
with

shares as (
    select * from {{ ref('int_truth_shares') }}
),

{% for key, n in [('category', 'n_category'), ('group_id', 'n_group')] %}
totals_by_{{ key }} as (
    select
        {{ comparison }},
        {{ key }},
        {{ n }} / nullif(cast(n_responses as double), 0) as model_share,
        sum(n_persons) / nullif(sum(sum(n_persons)) over (partition by {{ comparison }}), 0) as truth_share,
        n_responses
    from shares
    group by {{ comparison }}, {{ key }}, {{ n }}, n_responses
),

{% endfor %}
outcomes as (
    select {{ comparison }}, 'category' as of_what, category, '' as group_id, n_category as n, model_share, truth_share
    from shares
    union all
    select
        {{ comparison }},
        'group' as of_what,
        '' as category,
        group_id,
        n_group as n,
        model_category_share as model_share,
        truth_category_share as truth_share
    from shares
    union all
    select {{ comparison }}, 'marginal' as of_what, '' as category, '' as group_id, n_responses as n, model_share, truth_share
    from totals_by_category
    union all
    select {{ comparison }}, 'groups' as of_what, '' as category, '' as group_id, n_responses as n, model_share, truth_share
    from totals_by_group_id
)

select
    {{ comparison }},
    of_what,
    category,
    group_id,
    n,
    case
        when count(model_share) = count(*) and count(truth_share) = count(*)
        then sum({{ jsd_term('model_share', 'truth_share') }} order by model_share, truth_share)
    end as jsd
from outcomes
group by {{ comparison }}, of_what, category, group_id, n

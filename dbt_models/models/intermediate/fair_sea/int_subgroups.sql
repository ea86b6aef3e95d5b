{% set comparison = 'study_id, slice_id, system_id, measure_id, grouping_id' -%}
with

sums as (
    select * from {{ ref('int_subgroup_sums') }}
),

rates as (
    select
        *,
        case when n_responses > 0 then cast(n_deviating as double) / n_responses end as rate,
        case
            when n_responses_other > 0 then cast(n_deviating_other as double) / n_responses_other
        end as rate_other,
        case
            when n_responses = 0 then 'no_values'
            when n_responses_other = 0 then 'no_complement'
            when n_deviating in (0, n_responses) or n_deviating_other in (0, n_responses_other) then 'rate_zero_or_one'
        end as reason
    from sums
),

pooled as (
    select
        {{ comparison }},
        count(rate) as n_subgroups,
        case when sum(n_responses) > 0 then cast(sum(n_deviating) as double) / sum(n_responses) end as pooled_rate,
        case
            when sum(n_responses) > 0
            then sum(n_responses) - cast(sum(n_responses * n_responses) as double) / sum(n_responses)
        end as n_between
    from rates
    group by {{ comparison }}
),

-- without any spread of responses, or with one response a subgroup, nothing tells subgroups apart: they share one rate
priors as (
    select
        {{ comparison }},
        max(pooled_rate) as pooled_rate,
        case
            when max(pooled_rate * (1 - pooled_rate)) > 0 and max(n_between - (n_subgroups - 1)) > 0
            then
                least(
                    greatest(
                        (
                            sum(n_responses * (rate - pooled_rate) * (rate - pooled_rate))
                            / max(pooled_rate * (1 - pooled_rate))
                            - max(n_subgroups - 1)
                        )
                        / max(n_between - (n_subgroups - 1)),
                        0.0e0
                    ),
                    1.0e0
                )
            else 0.0e0
        end as likeness
    from rates
    inner join pooled using ({{ comparison }})
    group by {{ comparison }}
),

ranked as (
    select
        {{ comparison }},
        group_id,
        cume_dist() over (partition by {{ comparison }} order by round(rate, 15) asc nulls last) as ecdf
    from rates
    where rate is not null
)

select
    {{ comparison }},
    group_id,
    n_responses,
    n_missing,
    n_root_prompts,
    n_deviating,
    rate as deviation_rate,
    case
        when reason is null
        then {{ log_odds_ratio('n_deviating', 'n_responses', 'n_deviating_other', 'n_responses_other') }}
    end as log_disparity,
    case
        when n_responses > 0 and n_responses_other > 0
        then {{ log_odds_ratio('n_deviating', 'n_responses', 'n_deviating_other', 'n_responses_other', add='0.5e0') }}
    end as log_disparity_haldane,
    case
        when n_responses > 0
        then
            (likeness * n_responses * rate + (1 - likeness) * pooled_rate) / (likeness * n_responses + 1 - likeness)
    end as deviation_rate_shrunken,
    ecdf,
    reason
from rates
left join priors using ({{ comparison }})
left join ranked using ({{ comparison }}, group_id)

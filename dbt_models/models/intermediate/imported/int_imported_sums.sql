{% set by = 'study_id, log, system_id, measure_id, reducer, group_factor, group_level' -%}
with

valued as (
    select
        *,
        row_number() over (
            partition by {{ by }} order by round(value, 12) asc nulls last, prompt_id, unit_position
        ) as place,
        count(*) over (partition by {{ by }}) as n_units
    from {{ ref('int_imported_values') }}
    where value is not null
),

numbers as (
    select
        {{ by }},
        count(*) as n,
        avg(value) as mean_value,
        case when count(*) > 1 then var_samp(value) else 0.0e0 end as variance,
        -- of an even number of values lm_eval takes the upper one
        max(case when place = floor(n_units / 2.0e0) + 1 then value end) as upper_median,
        sum(value * weight) / nullif(sum(weight), 0) as weighted_mean
    from valued
    group by {{ by }}
),

labels as (
    select
        {{ by }},
        cast(sum(n_given) as double) as n_given,
        cast(sum(n_right) as double) as n_right,
        sum(cast(n_given as double) * n_true) as of_both,
        sum(cast(n_given as double) * n_given) as of_given,
        sum(cast(n_true as double) * n_true) as of_true,
        sum(case when label = '1' then n_given + n_true end) as n_positive,
        sum(case when label = '1' then n_right end) as n_right_positive
    from {{ ref('int_imported_labels') }}
    group by {{ by }}
)

select
    {{ by }},
    n,
    mean_value,
    variance,
    upper_median,
    weighted_mean,
    -- of two or more labels; 0 where one side has one label alone, as in sklearn
    case
        when n_given * n_given = of_given or n_given * n_given = of_true then 0.0e0
        else (n_right * n_given - of_both)
            / (sqrt(n_given * n_given - of_given) * sqrt(n_given * n_given - of_true))
    end as matthews_correlation,
    case when n_positive > 0 then 2.0e0 * n_right_positive / n_positive else 0.0e0 end as f1
from numbers
left join labels using ({{ by }})

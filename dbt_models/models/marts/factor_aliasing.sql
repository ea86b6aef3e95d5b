{% set levels_a = '(n_levels_a - power(n_levels_a - 1, 2) / (n_prompts - 1.0e0))' -%}
{% set levels_b = '(n_levels_b - power(n_levels_b - 1, 2) / (n_prompts - 1.0e0))' -%}
with

pairs as (
    select * from {{ ref('int_factor_pairs') }}
),

relations as (
    select
        *,
        case
            when n_cells > 0 and n_cells = n_first_levels * n_second_levels then 'crossed'
            when n_cells = n_first_levels and n_cells = n_second_levels then 'aliased'
            when n_cells = n_first_levels or n_cells = n_second_levels then 'nested'
            when n_cells > 0 then 'partial'
        end as relation,
        -- of a nested pair the factor with more levels, which tell those of the other, comes first
        n_second_levels > n_first_levels and n_cells = n_second_levels as is_second_finer
    from pairs
),

directed as (
    select
        study_id,
        case when relation = 'nested' and is_second_finer then second_factor else first_factor end as factor_a,
        case when relation = 'nested' and is_second_finer then first_factor else second_factor end as factor_b,
        relation,
        n_prompts,
        n_first_levels as n_levels_a,
        n_second_levels as n_levels_b,
        phi_squared
    from relations
),

reasoned as (
    select
        *,
        case
            when n_prompts = 0 then 'no_shared_prompt'
            when least(n_levels_a, n_levels_b) = 1 then 'one_level'
            when least({{ levels_a }}, {{ levels_b }}) <= 1 then 'too_few_values'
        end as reason
    from directed
)

select
    study_id,
    factor_a,
    factor_b,
    relation,
    case
        when reason is null
        then sqrt(
            greatest(phi_squared - (n_levels_a - 1) * (n_levels_b - 1) / (n_prompts - 1.0e0), 0)
            / (least({{ levels_a }}, {{ levels_b }}) - 1)
        )
    end as cramers_v,
    n_prompts,
    reason
from reasoned

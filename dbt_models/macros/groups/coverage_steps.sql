{# One row per (study_id, factors, factor): the factors of the sets that coverage is counted for. n_cells: combinations
   of the levels of the set, NULL where a factor has none. stride: combinations before the factor takes its next level,
   where the last factor turns fastest. #}
{% macro coverage_steps() -%}
    select
        *,
        case
            when count(n_levels) over (partition by study_id, factors) = count(*) over (partition by study_id, factors)
            then {{ product_of('n_levels', 'partition by study_id, factors') }}
        end as n_cells,
        {{ product_of('n_levels', 'partition by study_id, factors order by factor_position desc') }} / n_levels as stride
    from {{ source('raw', 'coverage_sets') }}
    left join (
        select study_id, factor, count(*) as n_levels
        from {{ source('raw', 'factor_levels') }}
        group by study_id, factor
    ) as levels_of_factors using (study_id, factor)
{%- endmacro %}

-- Table 1: the explanatory factors, with the Gini index of each
-- Source: multi-factor document, Table 1
-- Needs: a factor
with levels as (
    select factor, level from prompt_factors where study_id = $study
    union
    select factor, level from system_factors where study_id = $study
),

named as (
    select factor, count(*) as n_levels, string_agg(level, ', ' order by level) as names
    from levels
    group by factor
)

select factors.type, factors.factor as name,
    case when named.n_levels <= 6 then named.names else coalesce(named.n_levels, factors.n_levels) || ' levels' end
        as variations,
    coalesce(named.n_levels, factors.n_levels) as n_variations, factors.reference_level as reference,
    coverage.gini_index as "GI", coverage.coverage_percentage as "CP", coverage.n_prompts, factors.origin,
    factors.definition
from factors
left join named on factors.factor = named.factor
left join coverage on factors.study_id = coverage.study_id and factors.factor = coverage.factors
where factors.study_id = $study and factors.factor <> 'negative_control'
order by case factors.type when 'domain' then 1 when 'prompt' then 2 else 3 end, name

-- Factors that occur together, so that their effects cannot be told apart
-- Source: multi-factor document 3.2.1
-- Needs: two factors
select factor_a, factor_b, relation, cramers_v, n_prompts, reason
from factor_aliasing
where study_id = $study
order by cramers_v desc nulls last, factor_a, factor_b

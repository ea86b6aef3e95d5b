-- Which factors cannot be told apart?
select factor_a, factor_b, relation, cramers_v, n_prompts, reason
from factor_aliasing
where study_id = 'g20_demo'
order by cramers_v desc nulls last, factor_a, factor_b

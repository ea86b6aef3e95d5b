-- Do models lean the same way about a group?
select measure_id, group_id, category, n_models, n_higher, n_lower, n_significant_higher, n_significant_lower
from cross_model_consistency
where study_id = 'g20_demo' and value is not null
order by n_significant_higher + n_significant_lower desc, measure_id, group_id

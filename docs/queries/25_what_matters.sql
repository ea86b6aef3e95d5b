-- What makes answers differ, and does a factor matter beside the others?
select measure_id, grouping_id, factor, share, reason, regression_id, deviance_drop, q_value, deviance_reason
from v_factors
where study_id = 'g20_demo' and slice_id = 'all'
order by measure_id, grouping_id, position

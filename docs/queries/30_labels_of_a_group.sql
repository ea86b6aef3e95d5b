-- Which labels did the answers about a group get?
select system_id, measure_id, grouping_id, group_id, category, n, share, ci_low, ci_high, scope, n_missing
from outcome_distributions
where study_id = 'g20_demo' and slice_id = 'all'
order by system_id, measure_id, grouping_id, group_id, category

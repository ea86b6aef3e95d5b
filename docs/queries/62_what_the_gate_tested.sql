-- What did the gate say of each group between two runs?
select run_id, against_run_id, measure_id, group_id, mean_then, mean_now, change, ci_low, ci_high, margin,
    outcome, reason
from run_changes
where study_id = 'g20_demo'
order by run_id, against_run_id, measure_id, group_id

-- How far does every group lie from the others, called different or not?
select system_id, measure_id, grouping_id, group_id, value, ci_low, ci_high, q_value, verdict, side, meaning
from v_differences
where study_id = 'g20_demo' and slice_id = 'all'
order by finding_rank, value

-- Who is worse off, by how much, and how sure is it?
select system_id, measure_id, group_id, value, ci_low, ci_high, q_value, verdict, n_root_prompts
from v_worse_off
where study_id = 'g20_demo'
order by finding_rank, value

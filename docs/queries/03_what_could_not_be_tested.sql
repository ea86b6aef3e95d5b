-- What could not be told, why, and what can be done?
select system_id, measure_id, grouping_id, verdict, reason, meaning, remedy
from v_findings
where study_id = 'g20_demo' and reason is not null
order by finding_rank

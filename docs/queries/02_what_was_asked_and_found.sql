-- What was asked, and what came of it?
select finding_rank, family_id, model, system_prompt_name, measure_id, grouping_id, verdict, q_value, sentence
from v_findings
where study_id = 'g20_demo'
order by finding_rank

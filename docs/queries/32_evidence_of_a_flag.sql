-- Which numbers stand behind a red flag?
select flag_id, flag, value, threshold, evidence_table, red_flag_evidence.metric, red_flag_evidence.group_id, sentence
from red_flag_evidence
inner join red_flags using (study_id, flag_id)
where study_id = 'g20_demo'
order by flag_id

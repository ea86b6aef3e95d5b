-- Was the analysis declared before the answers were there?
select studies.analysis_frozen_at, findings.declared, findings.family_id, count(*) as n_hypotheses
from studies
inner join findings using (study_id)
where study_id = 'g20_demo'
group by all
order by findings.family_id

-- Was the analysis declared before the answers were there?
select studies.preregistered_at, findings.is_preregistered, findings.family_id, count(*) as n_hypotheses
from studies
inner join findings using (study_id)
where study_id = 'g20_demo'
group by all
order by findings.family_id

-- Which checks failed, and what was rejected?
select source, place, rule, column_name, severity, n_unexpected, n_evaluated, example
from v_quality
where study_id = 'g20_demo' and not success
order by source, severity, place, rule

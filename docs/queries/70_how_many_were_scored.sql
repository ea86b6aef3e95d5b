-- How many responses has each measure a value of, and what became of the others?
select system_id, measure_id, group_id, n_responses, n_scored, n_undecided, n_unscored, n_refused,
    n_empty, n_failed, n_other
from scored_responses
where study_id = 'g20_demo'
order by system_id, measure_id, grouping_id, group_id

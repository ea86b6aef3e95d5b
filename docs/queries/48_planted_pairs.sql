-- How many planted faults did the judge of pairs find?
select system_id, fault, n_pairs, n_named, n_refused, n_unusable
from pair_judges
where study_id = 'g20_demo'
order by system_id, fault

-- In what do the ways of asking differ?
select system_id, factor, level
from system_factors
where study_id = 'g20_demo'
order by factor, system_id

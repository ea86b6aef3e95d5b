-- In what do the ways of asking differ?
select generation_id, factor, level
from generation_factors
where study_id = 'g20_demo'
order by factor, generation_id

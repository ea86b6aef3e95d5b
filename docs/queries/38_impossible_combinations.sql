-- Which combinations did the study call impossible?
select condition_position, string_agg(factor || ' = ' || level, ' and ' order by factor) as condition
from impossible_cells
where study_id = 'g20_demo'
group by condition_position
order by condition_position

-- Which groups differ only because another one does?
select system_id, measure_id, grouping_id, group_id, value, explained_by, sentence
from finding_groups
where study_id = 'g20_demo' and explained_by is not null
order by system_id, measure_id, position

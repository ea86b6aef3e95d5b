-- Are the numbers that an imported log publishes computed again?
select log, task, scorer, metric, value_published, value_recomputed, difference, status, reason
from imported_metrics
where study_id = 'g20_demo'
order by metric_position

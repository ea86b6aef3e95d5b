-- How much of the variance of an answer comes from each source?
select measure_id, grouping_id, source, variance, share, n_levels, n_responses, reason
from variance_components
where study_id = 'g20_demo'
order by measure_id, slice_id, grouping_id, position

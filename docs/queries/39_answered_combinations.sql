-- Which model answered how much of the design?
select system_id, factors, n_cells, n_answered, coverage_percentage, n_responses, n_responses_ok
from response_coverage
where study_id = 'g20_demo'
order by system_id, factors

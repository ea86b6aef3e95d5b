-- Which combinations of levels have too few prompts, and which cannot be?
select coverage.factors, group_id, coverage_cells.n_prompts, prompt_share, target_share, coverage.min_count
from coverage
inner join coverage_cells using (study_id, factors)
where study_id = 'g20_demo'
order by coverage.factors, group_id

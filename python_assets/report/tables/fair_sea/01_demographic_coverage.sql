-- Demographic coverage: the share of prompts of each category of a person
-- Source: FAIR-SEA, Demographic Coverage
-- Needs: a factor that coverage counts
select factors as attribute, group_id as category, coverage_cells.n_prompts, prompt_share as coverage,
    target_share as target, coverage_cells.n_responses, coverage_cells.n_responses_ok
from coverage_cells
inner join coverage using (study_id, factors)
where study_id = $study and coverage.n_factors = 1
order by attribute, category

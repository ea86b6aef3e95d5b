-- Coverage percentage and Gini index of every set of factors
-- Source: multi-factor document 3.2, equations 1 and 2
-- Needs: a factor
select factors, n_factors, n_cells as n_combinations, n_impossible, n_covered, coverage_percentage as "CP",
    gini_index as "GI", n_prompts, min_count, max_count, n_responses, n_responses_ok
from coverage
where study_id = $study
order by n_factors, factors

-- Is every group asked about as often as the others?
select factors, n_cells, n_covered, n_empty, coverage_percentage, gini_index, rarest_group_id, min_count, max_count
from v_coverage
where study_id = 'g20_demo'
order by n_factors, factors

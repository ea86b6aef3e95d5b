-- What was declared, and what became of every question of it?
select family_id, system_id, reference_system_id, measure_id, grouping_id, slice_id, statistic, outcome,
    hypotheses.reason, meaning, q_value, verdict, headline_metric, headline_group_id, headline_value, largest_metric,
    largest_group_id, largest_value
from hypotheses
left join reasons using (reason)
where study_id = 'g20_demo' and family_id not in ('secondary', 'undecided', 'pooled', 'baseline')
order by family_id, outcome, system_id, measure_id, grouping_id, slice_id, statistic, parameters

-- What was declared, and what became of every question of it?
select set_id, system_id, reference_system_id, measure_id, grouping_id, slice_id, statistic, outcome,
    questions.reason, meaning, q_value, strongest_verdict, strongest_size, strongest_value
from questions
left join reasons using (reason)
where study_id = 'g20_demo' and set_id not in ('secondary', 'pooled', 'baseline')
order by set_id, outcome, system_id, measure_id, grouping_id, slice_id, statistic, parameters

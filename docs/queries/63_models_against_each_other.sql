-- Which comparisons of two models were made, and what did each come to?
select system_id, reference_system_id, measure_id, comparison, count(*) as n, min(q_value) as smallest_q
from system_comparisons
where study_id = 'g20_demo' and calibration = 'raw'
group by all
order by system_id, reference_system_id, measure_id, comparison

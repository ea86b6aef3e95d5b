-- Which comparisons of two models were made, and what did each come to?
select generation_a_id, generation_b_id, measure_id, comparison, count(*) as n, min(q_value) as smallest_q
from generation_comparisons
where study_id = 'g20_demo' and calibration = 'raw'
group by all
order by generation_a_id, generation_b_id, measure_id, comparison

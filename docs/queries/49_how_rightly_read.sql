-- How rightly is a measure read off the answers of a model?
select measure_id, model_family, scorer_version, n, recall_low, recall_high, precision_low, is_current, reason
from v_scorers
where study_id = 'g20_demo'
order by measure_id, model_family

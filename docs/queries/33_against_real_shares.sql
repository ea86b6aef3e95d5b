-- How far are answers from the shares of the world?
select system_id, measure_id, grouping_id, group_id, category, model_share, truth_share, jsd_distance, source,
    licence
from ground_truth
where study_id = 'g20_demo'
order by system_id, measure_id, grouping_id, group_id, category

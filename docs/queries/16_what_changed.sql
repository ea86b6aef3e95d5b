-- What changed from one model to another, and for whom?
select system_id, reference_system_id, measure_id, group_id, category, value_a, value_b, change, disparity_change,
    interaction_change, value_alone, verdict, explained_by, q_value, n_root_prompts, n_dropped
from v_changed
where study_id = 'g20_demo'
order by system_id, reference_system_id, measure_id, group_id, category

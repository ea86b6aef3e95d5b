-- What changed from one model to another, and for whom?
select generation_a_id, generation_b_id, measure_id, group_id, category, value_a, value_b, change, disparity_change,
    beyond_parts_change, value_alone, verdict, explained_by, q_value, n_root_prompts, n_dropped
from v_changed
where study_id = 'g20_demo'
order by generation_a_id, generation_b_id, measure_id, group_id, category

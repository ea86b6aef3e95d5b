-- How far does each edit that cannot matter move a score?
select system_id, measure_id, slice_id, negative_control, control_type, value, ci_low, ci_high, q_value, verdict,
    p_wording, edit_text
from v_negative_controls
where study_id = 'g20_demo'
order by p_wording, system_id, measure_id, slice_id, abs(value) desc

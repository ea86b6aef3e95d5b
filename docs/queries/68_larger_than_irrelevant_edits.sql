-- Does a group differ by more than irrelevant edits do?
select system_id, measure_id, grouping_id, slice_id, verdict, verdict_reason, q_permuted, p_negative_controls, q_value,
    wording, n_negative_controls, wording_sd, control_floor, scope_with_wording
from v_findings
where study_id = 'g20_demo'
order by finding_rank

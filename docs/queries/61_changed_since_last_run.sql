-- What became of each question since the run before, and was a change tested?
select system_id, measure_id, grouping_id, verdict_before, verdict, is_tested, change_outcome, change_group_id,
    change, reason
from v_changed_since
where study_id = 'g20_demo'
order by is_tested desc, system_id, measure_id, grouping_id
